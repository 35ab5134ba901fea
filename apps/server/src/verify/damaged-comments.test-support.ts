import { sealFirst } from '../payloads/comment-body.ts'
import { commentKeyContext } from '../ports/keys/contexts.ts'
import { type Damage, damageOn as on, force } from './damage.test-support.ts'
import { damageRows } from './damaged-rows.test-support.ts'

/** A comment of an unknown user, without a key. */
const commentOn = (comment_id: string, group_id: string) =>
  `insert into payload_comments (client_id, comment_id, payload_id, group_id, type, raised_at, raised_by)
   select client_id, '${comment_id}', payload_id, ${group_id}, type, 1, 'unknown' from payloads where payload_id = $id`

const sealedComment = (
  comment_id: string,
  payload_id: number,
  { wrapped_key, sealed_body }: { wrapped_key: Buffer; sealed_body: Buffer },
) =>
  `${commentOn(comment_id, 'group_id').replaceAll('$id', String(payload_id))};
   update payload_comments set wrapped_key = '\\x${wrapped_key.toString('hex')}' where comment_id = '${comment_id}';
   insert into payload_comment_versions (client_id, comment_id, comment_version, sealed_body, updated_at, updated_by)
     select client_id, comment_id, 1, '\\x${sealed_body.toString('hex')}', 1, 'unknown' from payload_comments where comment_id = '${comment_id}'`

export const DAMAGED_COMMENTS: readonly Damage[] = [
  on('photo', 'flipped bit in a sealed comment', async (fixture, { payload_id, payload_reference }) => {
    const place = { client: 'acme', payload_reference, comment_id: 'D', comment_version: 1, by: 'unknown' }
    const sealed = await sealFirst(fixture.ctx, place, 'said about it')
    const { sealed_body } = sealed
    sealed_body[sealed_body.length - 1] = (sealed_body.at(-1) ?? 0) ^ 1
    await force(fixture, sealedComment('D', payload_id, sealed))
    return [
      ['comment_wrong', payload_reference],
      ['words_wrong', payload_reference],
    ]
  }),
  on('photo', 'comment of another author', async (fixture, { payload_id, payload_reference }) => {
    const place = { client: 'acme', payload_reference, comment_id: 'F', comment_version: 1, by: 'the author' }
    await force(fixture, sealedComment('F', payload_id, await sealFirst(fixture.ctx, place, 'said about it')))
    return [
      ['comment_wrong', payload_reference],
      ['words_wrong', payload_reference],
    ]
  }),
  on('photo', 'words of a comment in another group', async (fixture, { payload_id, payload_reference }) => {
    const place = { client: 'acme', payload_reference, comment_id: 'E', comment_version: 1, by: 'unknown' }
    await force(
      fixture,
      `${sealedComment('E', payload_id, await sealFirst(fixture.ctx, place, 'said'))};
       insert into content_indexed (client_id, payload_id, comment_id, word_count) select client_id, payload_id, comment_id, 1 from payload_comments where comment_id = 'E';
       insert into comment_words (client_id, token, group_id, comment_id) select client_id, 7, group_id + 1000, comment_id from payload_comments where comment_id = 'E'`,
    )
    return [['words_wrong', payload_reference]]
  }),
  damageRows(
    'photo',
    'comment in another group',
    commentOn('A', 'group_id + 1000'),
    'comment_wrong',
    'words_wrong',
  ),
  on(
    'photo',
    'comment without text and with a wiped key',
    async (fixture, { payload_id, payload_reference }) => {
      await force(fixture, commentOn('C', 'group_id').replaceAll('$id', String(payload_id)))
      const key = await fixture.ctx.keys.put(Buffer.alloc(32), commentKeyContext('acme', 'C'))
      await fixture.ctx.keys.forget([key])
      await force(
        fixture,
        `update payload_comments set wrapped_key = '\\x${key.toString('hex')}' where comment_id = 'C'`,
      )
      return [
        ['key_lost', 'C'],
        ['comment_wrong', payload_reference],
        ['words_wrong', payload_reference],
      ]
    },
  ),
]
