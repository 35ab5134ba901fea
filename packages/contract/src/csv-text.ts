/** Characters that make a spreadsheet run a cell as a formula where it begins with one (OWASP: CSV injection). */
const FORMULA = /^(?=[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])/
/**
 * The same after a separator within the text: a spreadsheet of another language splits lines at other separators, even
 * within quotes. A number is no formula.
 */
const LATER = /(?<=[,;\t\r\n])[" ]*(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])(?![+-][\d .()-]*(?:[,;\r\n]|$))/g

/** Escapes a text for CSV files: an apostrophe before what could start a formula. The caller quotes the result. */
export const csvText = (text: string): string => text.replace(FORMULA, "'").replace(LATER, "$&'")
