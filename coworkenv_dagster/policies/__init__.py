"""Policies: scripted probes, a chat endpoint, a local transformers model."""

from coworkenv_dagster.policies.base import Message, Policy, Reply, ToolCall, ToolSchema, Turn

__all__ = ["Message", "Policy", "Reply", "ToolCall", "ToolSchema", "Turn"]
