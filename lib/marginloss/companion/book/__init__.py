"""Runner and builder of the book: every chapter is executed once, and tests and pages read what it gave."""

from marginloss.companion.book.layout import Chapter, chapters, find_chapters
from marginloss.companion.results import Result, results
