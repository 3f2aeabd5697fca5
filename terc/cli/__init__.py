"""The command line: `terc select ...`, one file per subcommand."""
