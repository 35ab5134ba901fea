import type { ClientApp } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { api } from '../../api/api.ts'
import { noticeDone } from '../../api/notices.tsx'
import { useMay } from '../../api/use-profile.ts'
import { DeleteButton } from '../../ui/delete-button.tsx'

/** Deletes a client app after asking. */
export function DeleteApp({ app, onDeleted }: { app: ClientApp; onDeleted: () => void }) {
  const { t } = useLingui()
  const { app_reference, version } = app
  if (!useMay()('account.apps:delete')) return null
  return (
    <DeleteButton
      question={t`Delete the app ${app_reference}?`}
      onDelete={() => api.deleteClientApp({ params: { app_reference }, query: {} }, { if_match: version })}
      onDeleted={() => {
        noticeDone(t`App ${app_reference} deleted`)
        onDeleted()
      }}
    >
      <Text>
        <Trans>
          Its tokens stop with the next request. Receipts that it confirmed and its steps in the audit stay.
        </Trans>
      </Text>
    </DeleteButton>
  )
}
