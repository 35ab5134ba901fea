import { useLingui } from '@lingui/react/macro'
import { Card, Group, SimpleGrid, Text, ThemeIcon } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useProfile } from '../../api/use-profile.ts'
import { menuFor } from '../../navigation.ts'
import { Icon } from '../../ui/icon.tsx'
import classes from './review-links.module.css'

/** The review pages that the user may open, as large targets. */
export function ReviewLinks() {
  const { i18n } = useLingui()
  const entries = menuFor(useProfile().actions).filter(({ section }) => section === 'review')
  if (entries.length === 0) return null
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
      {entries.map((entry) => (
        <Card
          key={entry.to}
          className={classes.link}
          renderRoot={(props) => <Link {...props} to={entry.to} />}
        >
          <Group gap="sm" wrap="nowrap">
            <ThemeIcon size={40} radius="md" variant="light">
              <Icon name={entry.icon} size={20} />
            </ThemeIcon>
            <Text fw={650} size="lg" flex={1}>
              {i18n._(entry.label)}
            </Text>
            <Icon name="chevron-right" size={16} />
          </Group>
        </Card>
      ))}
    </SimpleGrid>
  )
}
