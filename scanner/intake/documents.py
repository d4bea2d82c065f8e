"""Pages of a PDF, by PDFium (extra `[pdf]`)."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator

import numpy as np

from scanner.errors import MissingExtraError, TooLargeError, TruncatedError, UnreadableError
from scanner.intake import limits
from scanner.intake.files import is_cut_off
from scanner.intake.photo import Photo
from scanner.intake.quiet import quiet

RENDER_SHARE = 1.5
"""Longer side of a rendered page in units of `long_side`: a page has no pixels of its own, and neighbouring draft
scales of a photo give 1 to 2 as well."""

_PDFIUM = threading.Lock()
"""PDFium is not thread-safe, not even for separate documents."""


def document_pages(data: bytes, name: str, subject: str, long_side: int) -> Iterator[Photo]:
    """Renders the pages one by one, annotations and filled-in form fields included, on white paper.

    `Photo.size` is the size of the rendered page. Raises `FileError` subclasses.
    """
    try:
        import pypdfium2 as pdfium
    except ImportError as error:
        raise MissingExtraError(
            "PDF files need an extra", remedy='install it with: pip install "padscore[pdf]"', subject=subject
        ) from error
    try:
        with _PDFIUM, quiet():
            document = pdfium.PdfDocument(data)
            document.init_forms()
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableError(
                "the PDF asks for a password", remedy="save it without one", subject=subject
            ) from error
        if is_cut_off(data, "PDF"):
            raise TruncatedError("the PDF is cut off", remedy="copy it again", subject=subject) from error
        raise UnreadableError("the PDF is damaged", remedy="save or copy it again", subject=subject) from error
    try:
        with _PDFIUM:
            pages = len(document)
        if pages > limits.MAX_PAGES:
            raise TooLargeError(
                f"the PDF has {pages} pages, more than {limits.MAX_PAGES}", remedy="split it", subject=subject
            )
        if pages == 0:
            raise UnreadableError("the PDF has no pages", remedy="save or copy it again", subject=subject)
        for index in range(pages):
            try:
                with _PDFIUM, quiet():
                    page = document[index]
                    try:
                        longer = max(page.get_size())
                        scale = RENDER_SHARE * long_side / longer if longer > 0 else math.nan
                        if not math.isfinite(scale):
                            raise pdfium.PdfiumError("page without a size")
                        bitmap = page.render(scale=scale, rev_byteorder=True)
                        try:
                            rgb = np.array(bitmap.to_numpy()[:, :, :3], dtype=np.uint8)
                        finally:
                            bitmap.close()
                    finally:
                        page.close()
            except pdfium.PdfiumError as error:
                raise UnreadableError(
                    f"page {index + 1} of the PDF is damaged", remedy="save or copy it again", subject=subject
                ) from error
            yield Photo(name, index + 1, rgb, (rgb.shape[1], rgb.shape[0]))
    finally:
        with _PDFIUM:
            document.close()
