/** Characters that make a spreadsheet run a cell as a formula where it begins with one (OWASP: CSV injection). */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/** Escapes a text for CSV files: an apostrophe before a leading formula character. The caller quotes the result. */
export const csvText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)
