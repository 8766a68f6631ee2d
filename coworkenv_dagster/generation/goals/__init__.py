"""Goals: the small pieces a task is composed of (find, change, tell, ask)."""
