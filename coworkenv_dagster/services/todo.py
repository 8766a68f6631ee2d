"""Todo: the user's task list."""

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


class ListTasks(Request):
    """Arguments of `todo_list_tasks`."""

    status: str = Field("all", description="pending, completed or all")


class UpdateTask(Request):
    """Arguments of `todo_update_task`."""

    task_id: str = Field(description="Task id")
    title: str | None = Field(None, description="New title")
    priority: str | None = Field(None, description="high, medium or low")
    status: str | None = Field(None, description="pending or completed")
    tags: list[str] | None = Field(None, description="New tags")


class CreateTask(Request):
    """Arguments of `todo_create_task`."""

    title: str = Field(description="Title")
    description: str | None = Field(None, description="What is to be done")
    priority: str = Field("medium", description="high, medium or low")
    due_date: str | None = Field(None, description="Day, YYYY-MM-DD")


class DeleteTask(Request):
    """Arguments of `todo_delete_task`."""

    task_id: str = Field(description="Task id")


class Todo(Service):
    """A task list."""

    name = "todo"
    variables = ("TODO_FIXTURES",)
    logs = ("deleted", "updated_tasks")

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes the fixture as it is."""
        return Prepared({"tasks": records_of(cls.name, fixture, "task_id")})

    @endpoint("/todo/tasks", tool="todo_list_tasks", access=Access.READ, without_body={})
    def list_tasks(self, request: ListTasks) -> Json:
        """List tasks."""
        tasks = [
            task
            for task in self.records["tasks"]
            if request.status == "all" or task.get("status") == request.status
        ]
        return {"tasks": tasks, "total": len(tasks)}

    @endpoint("/todo/tasks/update", tool="todo_update_task", access=Access.WRITE)
    def update_task(self, request: UpdateTask) -> Json:
        """Change a task."""
        found = self.find("tasks", "task_id", request.task_id)
        if found is None:
            return {"error": f"Task {request.task_id} not found"}
        index, task = found
        changes = request.model_dump(exclude={"task_id"}, exclude_none=True)
        task = {**task, **changes}
        self.records["tasks"][index] = task
        self._show_in_creation(found[1], task)
        self.log["updated_tasks"].append(task)
        return {"status": "updated", "task": task}

    @endpoint("/todo/tasks/create", tool="todo_create_task", access=Access.WRITE)
    def create_task(self, request: CreateTask) -> Json:
        """Create a task."""
        task: Record = {
            "task_id": f"todo_{len(self.records['tasks']) + 1:03d}",
            "title": request.title,
            "description": request.description or "",
            "status": "pending",
            "priority": request.priority,
            "due_date": request.due_date,
            "tags": [],
            "created_at": self.timestamp(),
        }
        self.records["tasks"].append(task)
        return {"status": "created", "task": task}

    @endpoint("/todo/tasks/delete", tool="todo_delete_task", access=Access.WRITE)
    def delete_task(self, request: DeleteTask) -> Json:
        """Delete a task."""
        found = self.find("tasks", "task_id", request.task_id)
        if found is None:
            return {"error": f"Task {request.task_id} not found"}
        index, task = found
        del self.records["tasks"][index]
        self.log["deleted"].append(task)
        return {"status": "deleted", "task": task}

    def _show_in_creation(self, before: Record, after: Record) -> None:
        """Lets the audit of a task's creation show its later changes, as the original's does.

        There the logged answer is the stored task itself, which updates change in place.
        """
        for index, call in enumerate(self.log["calls"]):
            if call["endpoint"] == "/todo/tasks/create" and call["response_body"]["task"] is before:
                answer = {**call["response_body"], "task": after}
                self.log["calls"][index] = {**call, "response_body": answer}
