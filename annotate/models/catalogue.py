"""Environments with their tasks and variants: the catalogue that studies choose from."""

from __future__ import annotations

from django.db import models


class Difficulty(models.TextChoices):
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    EXPERT = "expert"
    FRONTIER = "frontier"


class Environment(models.Model):
    """A website with a harness, reached through the adapter of that name."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    adapter = models.CharField(max_length=40)

    def __str__(self) -> str:
        return self.slug


class Task(models.Model):
    """An instruction in an environment. Annotators only ever see `instruction`."""

    environment = models.ForeignKey(Environment, on_delete=models.PROTECT, related_name="tasks")
    slug = models.CharField(max_length=120)
    title = models.CharField(max_length=200)
    instruction = models.TextField()
    difficulty = models.CharField(max_length=10, choices=Difficulty)
    expected_steps = models.PositiveIntegerField(null=True)
    primitives = models.JSONField(default=list)
    content_hash = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["environment", "slug"], name="one_task_per_slug")]

    def __str__(self) -> str:
        return self.slug


class Variant(models.Model):
    """One intervention for one task."""

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="variants")
    slug = models.CharField(max_length=120)
    primitive = models.CharField(max_length=40, blank=True)
    layer = models.CharField(max_length=40, blank=True)
    description = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "slug"], name="one_variant_per_slug")]

    def __str__(self) -> str:
        return self.slug
