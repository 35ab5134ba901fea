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
  device_authentication_required: problem(401, 'The device must authenticate again.', 'O dispositivo precisa se autenticar novamente.'),
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
  not_permitted: problem(403, 'Your roles do not include this permission.', 'Suas funções não incluem esta permissão.'),
  network_not_permitted: problem(403, 'Access from this network is not permitted.', 'O acesso a partir desta rede não é permitido.'),
  address_expired: problem(403, 'This address is not valid or has expired.', 'Este endereço não é válido ou expirou.'),
  not_found: problem(404, 'Data not found', 'Dados não encontrados'),
  method_not_allowed: problem(405, 'This method is not supported here.', 'Este método não é suportado aqui.'),
  content_search_off: problem(
    409,
    'Word search is off in this account. An administrator can enable it in the account settings.',
    'A busca por palavras está desativada nesta conta. Um administrador pode ativá-la nas configurações da conta.',
  ),
  reason_required: problem(
    400,
    'Give a reason for the download or export. If the account has a list of reasons, use one of them.',
    'Informe o motivo do download ou da exportação. Se a conta tiver uma lista de motivos, use um deles.',
  ),
  held_by_matter: problem(
    409,
    'An open matter holds this person: close the matter or remove the person.',
    'Um caso aberto mantém esta pessoa sob retenção: encerre-o ou remova a pessoa.',
  ),
  held: problem(409, 'A legal hold protects this: release it before deletion.', 'Uma retenção legal protege este item: libere-a antes da exclusão.'),
  already_proposed: problem(409, 'It is already proposed and awaits a second approval.', 'Já foi proposto e aguarda a segunda aprovação.'),
  same_person: problem(409, 'You proposed this: another person must decide.', 'Você propôs isto: outra pessoa deve decidir.'),
  client_not_empty: problem(
    409,
    'Remove all payloads, legal holds, open matters and pending proposals of this client first.',
    'Remova antes todos os registros, retenções legais, casos abertos e propostas pendentes deste cliente.',
  ),
  person_required: problem(
    403,
    'This needs two users of the account. Apps and support staff cannot take part.',
    'Isto exige dois usuários da conta. Aplicativos e equipe de suporte não participam.',
  ),
  too_few_people: problem(
    409,
    'Dual control needs two people who can do each action and signed in within 30 days.',
    'A dupla aprovação exige duas pessoas com cada permissão e acesso nos últimos 30 dias.',
  ),
  already_exists: problem(
    409,
    'It exists already or was used before. Choose another name, or change the existing record.',
    'Já existe ou já foi usado. Escolha outro nome ou altere o registro existente.',
  ),
  in_use: problem(409, 'It is still in use and cannot be deleted.', 'Ainda está em uso e não pode ser excluído.'),
  system_role: problem(409, 'System roles cannot be changed.', 'As funções do sistema não podem ser alteradas.'),
  breaks_groups: problem(
    409,
    'Some groups violate this tag. Review them, then save with force_update.',
    'Há grupos que não atendem a esta etiqueta. Revise-os e salve com force_update.',
  ),
  license_exceeded: problem(409, 'There are not enough licences for this.', 'Não há licenças suficientes para isto.'),
  locks_out: problem(409, 'Saving this removes your own access. Confirm to continue.', 'Salvar isto remove seu próprio acesso. Confirme para continuar.'),
  wrong_state: problem(409, 'The current state does not allow this. Reload and try again.', 'O estado atual não permite isto. Recarregue e tente novamente.'),
  last_administrator: problem(
    409,
    'No person could assign roles. First give this right to another person.',
    'Nenhuma pessoa poderia atribuir funções. Antes, dê essa permissão a outra pessoa.',
  ),
  own_recording: problem(409, 'This is your own recording: another reviewer must decide.', 'Esta gravação é sua: outro revisor deve decidir.'),
  too_little_heard: problem(
    409,
    'Listen to more of this recording first: your account requires it.',
    'Ouça antes uma parte maior desta gravação: sua conta exige isso.',
  ),
  changed_meanwhile: problem(412, 'Another user changed it. Load it again.', 'Outro usuário alterou isto. Carregue novamente.'),
  escalation: problem(403, 'This grants permissions beyond your own.', 'Isto concede permissões além das suas.'),
  support_mode_ended: problem(403, 'Support access has ended or was revoked.', 'O acesso de suporte terminou ou foi revogado.'),
  payload_conflict: problem(409, 'This payload reference was already used for other data.', 'Esta referência de registro já foi usada para outros dados.'),
  payload_too_large: problem(413, 'The content is too large.', 'O conteúdo é grande demais.'),
  unsupported_media_type: problem(415, 'This content type is not supported.', 'Este tipo de conteúdo não é suportado.'),
  range_not_satisfiable: problem(416, 'The requested range does not exist.', 'O intervalo solicitado não existe.'),
  length_required: problem(
    411,
    'An upload must say its length: send content-length, not transfer-encoding.',
    'Um envio deve dizer seu tamanho: envie content-length, não transfer-encoding.',
  ),
  wrong_size: problem(400, 'The upload does not have the announced size.', 'O envio não tem o tamanho anunciado.'),
  wrong_checksum: problem(400, 'The upload does not match its checksum.', 'O envio não corresponde à sua soma de verificação.'),
  too_many_requests: problem(429, 'Too many requests. Try again shortly.', 'Requisições demais. Tente novamente em instantes.'),
  internal: problem(500, 'Internal Server Error', 'Erro interno do servidor'),
  unavailable: problem(
    503,
    'The service is temporarily unavailable. Try again shortly.',
    'O serviço está temporariamente indisponível. Tente novamente em instantes.',
  ),
} as const satisfies Record<string, Problem>
export type ProblemCode = keyof typeof PROBLEMS
