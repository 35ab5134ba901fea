import { Table, VisuallyHidden } from '@mantine/core'
import { Fragment } from 'react'
import { actionsByNoun } from './actions-by-noun.ts'
import { ActionName, nounWord } from './words/action-name.tsx'

/** Table of permitted actions, one line per noun. */
export function ActionTable({ actions, caption }: { actions: readonly string[]; caption: string }) {
  return (
    <Table verticalSpacing={5} horizontalSpacing={0} layout="fixed">
      <Table.Caption p={0} m={0}>
        <VisuallyHidden>{caption}</VisuallyHidden>
      </Table.Caption>
      <Table.Tbody>
        {actionsByNoun(actions).map(({ noun, verbs }) => (
          <Table.Tr key={noun}>
            <Table.Th scope="row" fw={500} w="42%" style={{ overflowWrap: 'anywhere' }}>
              <span title={noun}>{nounWord(noun)}</span>
            </Table.Th>
            <Table.Td>
              {verbs.map((verb, index) => (
                <Fragment key={verb}>
                  {index > 0 && ', '}
                  <ActionName action={`${noun}:${verb}`} />
                </Fragment>
              ))}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
