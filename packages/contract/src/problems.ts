import type { Phrase } from './phrases.ts'

interface Problem extends Phrase {
  /** HTTP status, also `error_code` in the body. */
  readonly status: number
}

const problem = (status: number, en: string, pt: string): Problem => ({ status, 'en-GB': en, 'pt-BR': pt })

/** Every problem that the server can answer with, its HTTP status and its text in both languages. */
export const PROBLEMS = {
  invalid_input: problem(400, 'The request is not valid.', 'A requisição não é válida.'),
  invalid_cursor: problem(
    400,
    'This page key is not valid. Start again from the first page.',
    'Esta chave de página não é válida. Recomece da primeira página.',
  ),
  sign_in_refused: problem(400, 'The sign-in could not be completed.', 'Não foi possível concluir o acesso.'),
  authentication_required: problem(401, 'Sign in to continue.', 'Entre para continuar.'),
  session_ended: problem(401, 'Your session has ended.', 'Sua sessão terminou.'),
  device_authentication_required: problem(
    401,
    'The device must authenticate again.',
    'O dispositivo precisa se autenticar novamente.',
  ),
  enrolment_refused: problem(
    403,
    'This enrolment is not valid, or no longer valid. Ask for a new one.',
    'Este cadastro não é válido ou deixou de ser. Peça um novo.',
  ),
  account_suspended: problem(
    403,
    'This account is suspended. Contact your service provider.',
    'Esta conta está suspensa. Entre em contato com o provedor do serviço.',
  ),
  terms_required: problem(403, 'Accept the terms to continue.', 'Aceite os termos para continuar.'),
  not_permitted: problem(
    403,
    'Your roles do not include this permission.',
    'Suas funções não incluem esta permissão.',
  ),
  network_not_permitted: problem(
    403,
    'Access from this network is not permitted.',
    'O acesso a partir desta rede não é permitido.',
  ),
  address_expired: problem(
    403,
    'This address is not valid or has expired.',
    'Este endereço não é válido ou expirou.',
  ),
  not_found: problem(404, 'Data not found', 'Dados não encontrados'),
  method_not_allowed: problem(405, 'This method is not supported here.', 'Este método não é suportado aqui.'),
  content_search_off: problem(
    409,
    'Words of messages, notes and comments cannot be searched in this account: it is switched off in its defaults.',
    'Nesta conta não é possível pesquisar palavras de mensagens, notas e comentários: está desligado nos padrões da conta.',
  ),
  reason_required: problem(
    400,
    'This account asks why data is downloaded or exported. Give a reason: one of its own, where it keeps a list.',
    'Esta conta pergunta por que dados são baixados ou exportados. Dê um motivo: um dos da conta, quando ela mantém uma lista.',
  ),
  held_by_matter: problem(
    409,
    'An open matter holds this person: close it, or take them out of it.',
    'Um caso aberto preserva esta pessoa: encerre-o ou retire-a dele.',
  ),
  held: problem(
    409,
    'A legal hold keeps this: it cannot be deleted.',
    'Uma preservação legal mantém isto: não pode ser excluído.',
  ),
  already_proposed: problem(
    409,
    'It is proposed already, and waits for a second person.',
    'Já foi proposto, e espera por uma segunda pessoa.',
  ),
  same_person: problem(
    409,
    'You proposed this yourself: somebody else decides about it.',
    'Você mesmo propôs isto: outra pessoa decide.',
  ),
  client_not_empty: problem(
    409,
    'Something of this client is still kept: a payload, a legal hold, an open matter or a waiting proposal.',
    'Ainda há dados deste cliente: registros, retenções legais, casos abertos ou propostas pendentes.',
  ),
  person_required: problem(
    403,
    'Two people of the account decide this: neither apps nor support staff take part.',
    'Duas pessoas da conta decidem isto: nem aplicativos nem a equipe de suporte participam.',
  ),
  too_few_people: problem(
    409,
    'Fewer than two people who may do each of these signed in within 30 days.',
    'Menos de duas pessoas que podem fazer cada uma destas ações entraram nos últimos 30 dias.',
  ),
  already_exists: problem(409, 'It already exists.', 'Já existe.'),
  in_use: problem(
    409,
    'It is still in use and cannot be deleted.',
    'Ainda está em uso e não pode ser excluído.',
  ),
  system_role: problem(
    409,
    'System roles cannot be changed.',
    'As funções do sistema não podem ser alteradas.',
  ),
  breaks_groups: problem(
    409,
    'Groups do not fit this tag. Review them, then save with force_update.',
    'Há grupos que não atendem a esta etiqueta. Revise-os e salve com force_update.',
  ),
  license_exceeded: problem(
    409,
    'There are not enough licences for this.',
    'Não há licenças suficientes para isto.',
  ),
  locks_out: problem(
    409,
    'Saving this would lock you out. Confirm it to go on.',
    'Salvar isto tiraria o seu próprio acesso. Confirme para continuar.',
  ),
  last_administrator: problem(
    409,
    'No person could assign roles any more. Assign a role that may do this to another person first.',
    'Nenhuma pessoa poderia mais atribuir funções. Antes, atribua a outra pessoa uma função que permita isto.',
  ),
  wrong_state: problem(409, 'Its present state does not allow this.', 'O estado atual não permite isto.'),
  own_recording: problem(
    409,
    'This is your own recording: somebody else decides about it.',
    'Esta gravação é sua: outra pessoa decide sobre ela.',
  ),
  changed_meanwhile: problem(
    412,
    'Somebody else changed it meanwhile. Load it again.',
    'Alguém alterou isto nesse meio-tempo. Carregue novamente.',
  ),
  escalation: problem(
    403,
    'This would grant more than you may do yourself.',
    'Isto concederia mais do que você mesmo pode fazer.',
  ),
  support_mode_ended: problem(
    403,
    'Support access has ended or was revoked.',
    'O acesso de suporte terminou ou foi revogado.',
  ),
  payload_conflict: problem(
    409,
    'This payload reference was already used for other data.',
    'Esta referência de registro já foi usada para outros dados.',
  ),
  payload_too_large: problem(413, 'The content is too large.', 'O conteúdo é grande demais.'),
  unsupported_media_type: problem(
    415,
    'This content type is not supported.',
    'Este tipo de conteúdo não é suportado.',
  ),
  range_not_satisfiable: problem(
    416,
    'The requested range does not exist.',
    'O intervalo solicitado não existe.',
  ),
  length_required: problem(
    411,
    'An upload must say its length: send content-length, not transfer-encoding.',
    'Um envio deve dizer seu tamanho: envie content-length, não transfer-encoding.',
  ),
  wrong_size: problem(
    400,
    'The upload does not have the announced size.',
    'O envio não tem o tamanho anunciado.',
  ),
  wrong_checksum: problem(
    400,
    'The upload does not match its checksum.',
    'O envio não corresponde à sua soma de verificação.',
  ),
  too_many_requests: problem(
    429,
    'Too many requests. Try again shortly.',
    'Requisições demais. Tente novamente em instantes.',
  ),
  internal: problem(500, 'Internal Server Error', 'Erro interno do servidor'),
  unavailable: problem(
    503,
    'The service is temporarily unavailable. Try again shortly.',
    'O serviço está temporariamente indisponível. Tente novamente em instantes.',
  ),
} as const satisfies Record<string, Problem>
export type ProblemCode = keyof typeof PROBLEMS
