"""Planning: from a study's design to who does which task under which condition, and when. Pure; knows no database."""
