"""Environments with their tasks and variants: the catalogue that studies choose from."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class Difficulty(models.TextChoices):
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    EXPERT = "expert"
    FRONTIER = "frontier"


class Environment(models.Model):
    """A website with a harness, reached through the adapter of that name, configured by `options`."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    adapter = models.CharField(max_length=40)
    options = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.slug


class Task(models.Model):
    """An instruction in an environment, in one version. Annotators only ever see `title` and `instruction`.

    A task that was recorded is never changed: its next version is a row of its own, and this one is no longer current.
    """

    environment = models.ForeignKey(Environment, on_delete=models.PROTECT, related_name="tasks")
    slug = models.CharField(max_length=120)
    title = models.CharField(max_length=200)
    instruction = models.TextField()
    difficulty = models.CharField(max_length=10, choices=Difficulty)
    expected_steps = models.PositiveIntegerField(null=True)
    primitives = models.JSONField(default=list)
    params = models.JSONField(default=dict)  # what the adapter needs beyond words: start_path, success, …
    content_hash = models.CharField(max_length=64)
    version = models.PositiveIntegerField(default=1)
    is_current = models.BooleanField(default=True)
    imported_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["environment", "slug", "version"], name="one_task_per_version"),
            models.UniqueConstraint(
                fields=["environment", "slug"], condition=models.Q(is_current=True), name="one_current_task_per_slug"
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def shown_instruction(self) -> str:
        """What a person may read before the website has told the instruction: nothing of a template with blanks in it."""
        return "" if self.params.get("template") else self.instruction


class Variant(models.Model):
    """One intervention for one task."""

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="variants")
    slug = models.CharField(max_length=120)
    primitive = models.CharField(max_length=40, blank=True)
    layer = models.CharField(max_length=40, blank=True)
    description = models.TextField(blank=True)
    params = models.JSONField(default=dict)  # what the adapter needs: file; and injections, for the record

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "slug"], name="one_variant_per_slug")]

    def __str__(self) -> str:
        return self.slug


class Probe(models.Model):
    """One look at whether an environment can be used: by the worker every half minute, and before a round."""

    environment = models.ForeignKey(Environment, on_delete=models.CASCADE, related_name="probes")
    at = models.DateTimeField(auto_now_add=True)
    ok = models.BooleanField()
    ms = models.FloatField()
    detail = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["environment", "-id"], name="probe_newest_first")]

    def __str__(self) -> str:
        return f"{self.environment_id} {'up' if self.ok else 'down'}"
