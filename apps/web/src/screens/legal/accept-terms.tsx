import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Checkbox, Container, Group } from '@mantine/core'
import { QueryClientProvider, useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/api.ts'
import { profileQuery } from '../../api/queries.ts'
import { queryClient } from '../../api/query-client.ts'
import { takeDestination } from '../../api/sign-in-memory.ts'
import { signOut } from '../../api/sign-in.ts'
import classes from './accept-terms.module.css'

/** Shown below the terms to users who have not accepted this version. */
export default function AcceptTerms() {
  return (
    <QueryClientProvider client={queryClient}>
      <TermsQuestion />
    </QueryClientProvider>
  )
}

function TermsQuestion() {
  const terms = useQuery(profileQuery).data?.terms
  if (terms === undefined || terms.accepted_at !== null) return null
  return <Question version={terms.version} />
}

/** Accepts a version of the terms and continues to the wanted page. */
function Question({ version }: { version: string }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const [agreed, setAgreed] = useState(false)
  const accept = useMutation({
    mutationFn: () => api.acceptTerms({ body: { version } }),
    onSuccess: async (profile) => {
      queryClient.setQueryData(profileQuery.queryKey, profile)
      await navigate({ href: await takeDestination(), replace: true })
    },
  })
  return (
    <aside className={classes.bar} aria-label={t`Acceptance of the terms`}>
      <Container size={720}>
        <Group justify="space-between">
          <Checkbox
            checked={agreed}
            onChange={(event) => setAgreed(event.currentTarget.checked)}
            label={t`I accept the terms`}
          />
          <Group gap="xs">
            <Button variant="default" onClick={() => void signOut()}>
              <Trans>Sign out</Trans>
            </Button>
            <Button disabled={!agreed} loading={accept.isPending} onClick={() => accept.mutate()}>
              <Trans>Continue</Trans>
            </Button>
          </Group>
        </Group>
      </Container>
    </aside>
  )
}
