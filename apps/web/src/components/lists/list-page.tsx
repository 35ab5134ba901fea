import { useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { PageHeader } from '../../ui/page-header.tsx'
import { totalText } from '../../ui/text.ts'
import type { ListDefinition } from './list-definition.ts'
import { OpenRecord } from './list-records.tsx'
import { ListView } from './list-view.tsx'
import classes from './list-view.module.css'

/** A full-height page with one list: title, total, address, keys and record drawer. */
export function ListPage<Row, Query>(props: {
  list: ListDefinition<Row, Query>
  /** Replaces the title: the head of the page whose tab this is. */
  head?: ReactNode
}) {
  const { list, head } = props
  const { i18n } = useLingui()
  const raw = useSearch({ strict: false })
  const search = useMemo(() => list.parse(raw), [list, raw])
  return (
    <>
      <div className={classes.page}>
        <ListView
          list={list}
          search={search}
          hasPageKeys
          head={(total) =>
            head ?? (
              <PageHeader
                title={i18n._(list.title)}
                aside={
                  // Its place is kept: a narrow header must not wrap when the total arrives.
                  <Text span c="dimmed" size="lg" miw="3ch" className="tabular">
                    {total && totalText(total, (count) => i18n.number(count))}
                  </Text>
                }
                actions={list.primaryAction}
              />
            )
          }
        />
      </div>
      <OpenRecord list={list} search={search} />
    </>
  )
}
