import { Skeleton, Stack } from '@mantine/core'

/** Page placeholder while its code or data loads noticeably long. */
export function PagePending() {
  return (
    <Stack aria-busy="true">
      <Skeleton h={30} w={260} />
      <Skeleton h={140} />
      <Skeleton h={280} />
    </Stack>
  )
}
