import { useLingui } from '@lingui/react/macro'
import { ActionIcon, Box } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Hint } from './hint.tsx'
import { Icon } from './icon.tsx'
import { middleEllipsis } from './text.ts'
import { visible } from './visible.ts'
import classes from './reference.module.css'

/** A reference in monospace, shortened in the middle, with tooltip and copy button. */
export function Reference({
  value,
  length = 17,
  copy = true,
}: {
  value: string
  /** Maximum characters. */
  length?: number
  copy?: boolean
}) {
  return (
    <Box component="span" className={classes.reference}>
      <span data-not-printed title={visible(value)}>
        {middleEllipsis(visible(value), length)}
      </span>
      {/* On paper nothing can be copied: the whole reference. */}
      <span data-print-only="inline">{visible(value)}</span>
      {copy && <CopyButton key={value} value={value} />}
    </Box>
  )
}

/** Copies a reference, or the item called `name`. */
export function CopyButton({ value, name = value }: { value: string; name?: string }) {
  const { t } = useLingui()
  const clipboard = useClipboard({ timeout: 1_500 })
  const copied = clipboard.copied
  return (
    <Hint label={copied ? t`Copied` : t`Copy`}>
      <ActionIcon
        size={24}
        variant="subtle"
        color="gray"
        aria-label={copied ? t`Copied` : t`Copy ${name}`}
        onClick={() => clipboard.copy(value)}
      >
        <Icon name={copied ? 'check' : 'copy'} size={14} />
      </ActionIcon>
    </Hint>
  )
}
