"""The page as the person saw it: an optional capture by rrweb's recorder, beside the recorder's own events and never their proof."""
