"""The models of the lead's side, by subject. Import them from here."""

from tasks_admin.models.exports import Clearance, Export
from tasks_admin.models.labels import ImportedLabel, LabelImport
from tasks_admin.models.reports import ComparisonReport
from tasks_admin.models.runs import Run, RunImport, RunLabel, RunTrajectory
from tasks_admin.models.uploads import Upload

__all__ = [
    "Clearance",
    "ComparisonReport",
    "Export",
    "ImportedLabel",
    "LabelImport",
    "Run",
    "RunImport",
    "RunLabel",
    "RunTrajectory",
    "Upload",
]
