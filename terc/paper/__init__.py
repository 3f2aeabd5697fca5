"""The experiments of the paper, each in one file, with the paper's statement beside what we measure."""
