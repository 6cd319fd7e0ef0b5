"""What a raw event's row costs, without what nothing needs: the unique (document, n) finds a document's events, and a document
has its recording."""

from django.db import migrations, models
from django.db.models import deletion


class Migration(migrations.Migration):
    dependencies = [("recorder", "0003_capture")]

    operations = [
        migrations.AlterField(
            model_name="event",
            name="document",
            field=models.ForeignKey(
                db_index=False, on_delete=deletion.CASCADE, related_name="events", to="recorder.document"
            ),
        ),
        migrations.AlterField(
            model_name="event",
            name="recording",
            field=models.ForeignKey(
                db_constraint=False, on_delete=deletion.CASCADE, related_name="events", to="recorder.recording"
            ),
        ),
    ]
