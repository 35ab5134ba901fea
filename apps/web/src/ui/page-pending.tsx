import { Skeleton, Stack } from '@mantine/core'

/** Stands where a page will be, while its code or data takes longer than a blink. */
export function PagePending() {
  return (
    <Stack gap="md" aria-busy="true">
      <Skeleton h={30} w={260} />
      <Skeleton h={140} />
      <Skeleton h={280} />
    </Stack>
  )
}
