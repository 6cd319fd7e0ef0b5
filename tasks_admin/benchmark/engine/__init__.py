"""What every site shares: sessions, request log, scoring, interventions. Knows no site and no Django."""
