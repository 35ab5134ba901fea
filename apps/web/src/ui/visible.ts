/** Characters that nobody sees and that turn the direction of what stands around them (Unicode UAX 9). */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * A name that somebody outside chose, with its invisible controls of direction as words, such as `[U+202E]`: otherwise `exe.gnp` would be
 * read as a picture, and one person's name as another's. For what is shown; files and the clipboard get names as they are.
 */
export const visible = (name: string): string =>
  name.replace(
    TURNING,
    (control) => `[U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
