/** Characters that make a spreadsheet run a cell as a formula where it begins with one (OWASP: CSV injection). */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/** Text as it stands in every CSV file of the server: an apostrophe disarms what begins as a formula. Quoting comes after it. */
export const csvText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)
