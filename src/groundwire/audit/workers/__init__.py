"""Workers: large logs audited by processes of their own, with the reports that one would make."""
