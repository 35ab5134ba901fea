import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

/** Keys whose name depends on the keyboard language. */
export const KEY_WORDS: Readonly<Record<string, MessageDescriptor>> = {
  Ctrl: msg({ context: 'key', message: 'Ctrl' }),
  End: msg({ context: 'key', message: 'End' }),
  Enter: msg({ context: 'key', message: 'Enter' }),
  Esc: msg({ context: 'key', message: 'Esc' }),
  Home: msg({ context: 'key', message: 'Home' }),
  Shift: msg({ context: 'key', message: 'Shift' }),
  Space: msg({ context: 'key', message: 'Space' }),
}

interface ShortcutGroup {
  title: MessageDescriptor
  shortcuts: readonly { keys: readonly string[]; does: MessageDescriptor }[]
}

/** All keyboard shortcuts, for the help sheet. Each screen adds its own here. */
export const SHORTCUTS: readonly ShortcutGroup[] = [
  {
    title: msg`Everywhere`,
    shortcuts: [
      { keys: ['Ctrl', 'K'], does: msg`Go to a page` },
      { keys: ['?'], does: msg`Show this sheet` },
      { keys: ['Esc'], does: msg`Close the open panel` },
    ],
  },
  {
    title: msg`On a recording or a message`,
    shortcuts: [
      { keys: ['N'], does: msg`Next in the list` },
      { keys: ['B'], does: msg`Previous in the list` },
      { keys: ['U'], does: msg`Back to the list` },
      { keys: ['P', 'Space'], does: msg`Play or pause` },
      { keys: ['ArrowLeft', 'ArrowRight'], does: msg`5 seconds back or forward` },
      { keys: ['J', 'L'], does: msg`10 seconds back or forward` },
      { keys: ['[', ']'], does: msg`Slower or faster` },
      { keys: ['S'], does: msg`Skip silence` },
      { keys: ['0'], does: msg`From the start` },
      { keys: ['+', '-'], does: msg`Louder or softer` },
      { keys: ['M'], does: msg`Sound off or on` },
      { keys: ['A'], does: msg`Autoplay on or off` },
      { keys: [',', '.'], does: msg`In a video: previous or next frame` },
      { keys: ['V'], does: msg`Photo or video full screen on or off` },
      { keys: ['C'], does: msg`Comment at the current position` },
      { keys: ['R'], does: msg`Mark as reviewed and open the next unmarked recording` },
      { keys: ['F'], does: msg`Flag and continue` },
      { keys: ['E'], does: msg`Escalate and continue` },
      { keys: ['Z'], does: msg`Undo the last mark` },
    ],
  },
  {
    title: msg`On a photo`,
    shortcuts: [
      { keys: ['ArrowLeft', 'ArrowRight'], does: msg`Previous or next in the list` },
      { keys: ['+', '-'], does: msg`Zoom in or out` },
      { keys: ['0'], does: msg`Fit to window` },
      { keys: ['1'], does: msg`Actual size` },
      { keys: ['T'], does: msg`Rotate the photo` },
      { keys: ['V'], does: msg`Full screen on or off` },
    ],
  },
  {
    title: msg`In lists`,
    shortcuts: [
      { keys: ['J'], does: msg`Next row` },
      { keys: ['K'], does: msg`Previous row` },
      { keys: ['Home'], does: msg`First row` },
      { keys: ['End'], does: msg`Last loaded row` },
      { keys: ['X'], does: msg`Select the row` },
      { keys: ['Ctrl', 'A'], does: msg`Select all rows` },
      { keys: ['Shift', 'ArrowDown'], does: msg`Extend the selection` },
      { keys: ['Enter'], does: msg`Open the row` },
      { keys: ['O'], does: msg`Open or close the row next to the list` },
      { keys: ['P'], does: msg`Play or pause the row next to the list` },
      { keys: ['A'], does: msg`Autoplay on or off: the sound follows the row` },
      { keys: ['ArrowLeft', 'ArrowRight'], does: msg`5 seconds back or forward` },
      { keys: ['C'], does: msg`Comment at the current position` },
      { keys: ['/'], does: msg`Search` },
      { keys: ['Esc'], does: msg`From search to rows; from rows: clears the selection` },
      { keys: ['T'], does: msg`Filters` },
      { keys: ['W'], does: msg`Last 7 days, or any time` },
      { keys: ['R'], does: msg`Mark the selected or current recordings as reviewed` },
      { keys: ['F'], does: msg`Flag them` },
      { keys: ['E'], does: msg`Escalate them` },
      { keys: ['Z'], does: msg`Undo the last mark` },
    ],
  },
]
