"""The commands of `evical`, one file each."""
