"""Scheduler: recurring jobs and how they ran."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from coworkenv_dagster.services._fixtures import records_of
from coworkenv_dagster.services.base import (
    Access,
    Json,
    Prepared,
    Record,
    Request,
    Service,
    endpoint,
)

_SHOWN = ("job_id", "name", "cron_expression", "enabled", "last_status", "last_run", "next_run")


class ListJobs(Request):
    """Arguments of `scheduler_list_jobs`."""

    status: str | None = Field(None, description="How the last run ended, for example failed")
    enabled: bool | None = Field(None, description="Only enabled or only disabled jobs")
    tag: str | None = Field(None, description="Only jobs with this tag")


class GetJob(Request):
    """Arguments of `scheduler_get_job` and `scheduler_delete_job`."""

    job_id: str = Field(description="Job id")


class CreateJob(Request):
    """Arguments of `scheduler_create_job`."""

    name: str = Field(description="Name")
    cron_expression: str = Field(description="When it runs, as cron")
    action: str = Field(description="What it does")
    enabled: bool = Field(True, description="Whether it runs")
    tags: list[str] | None = Field(None, description="Tags")
    created_by: str | None = Field(None, description="Who made it")


class UpdateJob(Request):
    """Arguments of `scheduler_update_job`."""

    job_id: str = Field(description="Job id")
    enabled: bool | None = Field(None, description="Whether it runs")
    cron_expression: str | None = Field(None, description="When it runs, as cron")
    name: str | None = Field(None, description="New name")
    action: str | None = Field(None, description="What it does")
    tags: list[str] | None = Field(None, description="New tags")


class JobHistory(Request):
    """Arguments of `scheduler_job_history`."""

    job_id: str = Field(description="Job id")
    limit: int = Field(10, description="Most runs to return")


class Scheduler(Service):
    """A job scheduler."""

    name = "scheduler"
    variables = ("SCHEDULER_FIXTURES",)
    logs = ("created_jobs", "updated_jobs", "deleted_jobs")

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes the fixture as it is."""
        return Prepared({"jobs": records_of(cls.name, fixture, "job_id")})

    @endpoint("/scheduler/jobs", tool="scheduler_list_jobs", access=Access.READ, without_body={})
    def list_jobs(self, request: ListJobs) -> Json:
        """List jobs; `status` compares with how the last run ended."""
        jobs = [
            {**{key: job.get(key) for key in _SHOWN}, "tags": job.get("tags", [])}
            for job in self.records["jobs"]
            if (not request.status or job.get("last_status") == request.status)
            and (request.enabled is None or job.get("enabled") == request.enabled)
            and (not request.tag or request.tag in (job.get("tags") or []))
        ]
        return {"jobs": jobs, "total": len(jobs)}

    @endpoint("/scheduler/jobs/get", tool="scheduler_get_job", access=Access.READ)
    def get_job(self, request: GetJob) -> Json:
        """Get one job."""
        found = self.find("jobs", "job_id", request.job_id)
        return found[1] if found else {"error": f"Job {request.job_id} not found"}

    @endpoint("/scheduler/jobs/create", tool="scheduler_create_job", access=Access.WRITE)
    def create_job(self, request: CreateJob) -> Json:
        """Create a job."""
        job: Record = {
            "job_id": f"JOB-{len(self.records['jobs']) + 1:03d}",
            "name": request.name,
            "cron_expression": request.cron_expression,
            "action": request.action,
            "enabled": request.enabled,
            "last_run": None,
            "next_run": None,
            "last_status": None,
            "created_by": request.created_by,
            "tags": request.tags or [],
            "created_at": self.timestamp(),
            "execution_history": [],
        }
        self.records["jobs"].append(job)
        self.log["created_jobs"].append(job)
        return {"status": "created", "job": job}

    @endpoint("/scheduler/jobs/update", tool="scheduler_update_job", access=Access.WRITE)
    def update_job(self, request: UpdateJob) -> Json:
        """Change a job."""
        found = self.find("jobs", "job_id", request.job_id)
        if found is None:
            return {"error": f"Job {request.job_id} not found"}
        index, job = found
        job = {**job, **request.model_dump(exclude={"job_id"}, exclude_none=True)}
        self.records["jobs"][index] = job
        self.log["updated_jobs"].append(job)
        return {"status": "updated", "job": job}

    @endpoint("/scheduler/jobs/delete", tool="scheduler_delete_job", access=Access.WRITE)
    def delete_job(self, request: GetJob) -> Json:
        """Delete a job."""
        found = self.find("jobs", "job_id", request.job_id)
        if found is None:
            return {"error": f"Job {request.job_id} not found"}
        index, job = found
        del self.records["jobs"][index]
        self.log["deleted_jobs"].append(job)
        return {"status": "deleted", "job": job}

    @endpoint("/scheduler/jobs/history", tool="scheduler_job_history", access=Access.READ)
    def job_history(self, request: JobHistory) -> Json:
        """List the last runs of a job."""
        found = self.find("jobs", "job_id", request.job_id)
        if found is None:
            return {"error": f"Job {request.job_id} not found"}
        history = found[1].get("execution_history") or []
        return {
            "job_id": request.job_id,
            "history": history[: request.limit],
            "total": len(history),  # of all runs, also those beyond the limit
        }
