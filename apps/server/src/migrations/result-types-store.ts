import { MIGRATION_RESULTS, type MigrationResultClass } from '@custodia/contract'

/** SQL: result types of a class, for `in (…)`. */
export const typesOf = (wanted: MigrationResultClass): string =>
  Object.entries(MIGRATION_RESULTS)
    .flatMap(([type, of]) => (of === wanted ? [`'${type}'`] : []))
    .join(', ')
