"""What can be typed after `adlc`, as a tree, and the scripts that tell shells about it.

The scripts are written here rather than by a library: the one that suits argparse knows no fish, and what it
writes carries its own code into every user's shell.
"""
