import { Card, Stack } from '@mantine/core'
import type { ReactNode } from 'react'

/** Facts and tables of a page on one card, so that they look alike everywhere; plain on paper. */
export const PageBody = ({ children }: { children: ReactNode }) => (
  <Card>
    <Stack gap="lg">{children}</Stack>
  </Card>
)
