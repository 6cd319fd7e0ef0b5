from django.db import migrations

# Files brought in before did not keep the number of the import that came of them: it was made while they were read, under their name. What
# was taken back since is told by the audit log.
FILL = """
UPDATE tasks_admin_upload upload SET told = upload.told || jsonb_build_object('import', found.number) FROM (
  SELECT study_id, 'runs' AS kind, id AS number, name, at FROM tasks_admin_runimport
  UNION ALL SELECT study_id, 'labels', id, name, at FROM tasks_admin_labelimport
  UNION ALL SELECT study_id, replace(action, 'take back ', ''), (before->>'import')::bigint, subject, (before->>'imported')::timestamptz
  FROM annotate_auditentry WHERE action IN ('take back runs', 'take back labels')
) found
WHERE upload.state = 'done' AND found.study_id = upload.study_id AND found.kind = upload.kind AND found.name = upload.name
  AND found.at BETWEEN upload.sent_at AND upload.ended_at
"""


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_admin', '0007_export_released'),
    ]

    operations = [
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
