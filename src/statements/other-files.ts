/** Files that people send for a statement or a CSV, and that are none: a refusal names what they are (STATEMENT-1). */
import { UnreadableStatement } from "./statement.ts"
import { toPlace } from "./text.ts"

interface Kind {
  /** How its bytes begin, as a text of one character each. */
  readonly start: RegExp
  readonly found: string
  readonly taken: string
}

const unpacked = "an unpacked file (unpack it, and send each file in it by itself)"
const sheet = "a CSV (save the sheet as one)"
const exported = "a file for programs (ask the bank for an export as camt, MT940, BAI2 or CSV)"

const kinds: ReadonlyArray<Kind> = [
  {
    start: /^PK\x03\x04[^]*?(?:\[Content_Types\]\.xml|xl\/|docProps\/)/,
    found: "a workbook of a spreadsheet (XLSX)",
    taken: sheet
  },
  {
    start: /^PK\x03\x04[^]*?mimetypeapplication\/vnd\.oasis\.opendocument/,
    found: "a document of an office program (ODS)",
    taken: sheet
  },
  {
    start: /^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/,
    found: "a document of an office program (XLS)",
    taken: sheet
  },
  { start: /^PK(?:\x03\x04|\x05\x06|\x07\x08)/, found: "a ZIP archive", taken: unpacked },
  { start: /^\x1f\x8b/, found: "a gzip archive", taken: unpacked },
  { start: /^7z\xbc\xaf\x27\x1c/, found: "a 7z archive", taken: unpacked },
  { start: /^Rar!\x1a\x07/, found: "a RAR archive", taken: unpacked },
  { start: /^%PDF-/, found: "a PDF document", taken: exported },
  { start: /^(?:\x89PNG|\xff\xd8\xff|GIF8)/, found: "an image", taken: exported },
  { start: /^\{\\rtf/, found: "an RTF document", taken: exported },
  {
    start: /^(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+)?html[\s>]/i,
    found: "a page of a website (<html>), as of a session that has ended",
    taken: exported
  },
  {
    start: /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:OFXHEADER:|<\?OFX|<OFX>)/,
    found: "an OFX file",
    taken: exported
  },
  { start: /^(?:\xef\xbb\xbf)?\s*!(?:Type|Account):/, found: "a QIF file", taken: exported }
]

/** How much of a file says which it is: the names of the first files in an archive. */
const startMax = 4096

/** Refuses a file that is known to be no text of any statement: an archive, a workbook, a PDF and others. */
export const checkKind = (bytes: Uint8Array): void => {
  const start = String.fromCharCode(...bytes.subarray(0, startMax))
  const kind = kinds.find((each) => each.start.test(start))
  if (kind !== undefined) throw new UnreadableStatement(toPlace(1), kind.found, kind.taken)
}
