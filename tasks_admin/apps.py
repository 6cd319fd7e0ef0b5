from django.apps import AppConfig


class TasksAdminConfig(AppConfig):
    name = "tasks_admin"
    default_auto_field = "django.db.models.BigAutoField"
