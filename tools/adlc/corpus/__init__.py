"""From files on disk to Documents: layouts, frontmatter, and the validated cache of both."""
