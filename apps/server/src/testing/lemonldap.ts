import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram, reservePort, startDaemon, untilReady, removeFolder } from './daemon.ts'

const PORTAL = '/usr/share/lemonldap-ng/portal'
const PROGRAM = `${PORTAL}/htdocs/index.psgi`

export const lemonldapAvailable = (): boolean => findProgram('plackup') !== undefined && existsSync(PROGRAM)

export interface Lemonldap {
  issuer: string
  /** Two parties that rely on it, with the same secret. */
  client_ids: readonly [string, string]
  client_secret: string
  stop(): Promise<void>
}

/** What the provider says of its people: claims, each with its value by person. */
export interface LemonldapRights {
  roles: Record<string, readonly string[]>
  user_group?: Record<string, string>
  user_reference?: Record<string, string>
  client?: Record<string, string>
}
const TEXTS = ['user_group', 'user_reference', 'client'] as const

/**
 * A third-party identity provider, LemonLDAP::NG, on loopback with its demo people (dwho, rtyler, msmith; the
 * password is the name). It starts in about two seconds and redirects to `redirect_uri` only.
 */
export async function startLemonldap(redirect_uri: string, rights: LemonldapRights): Promise<Lemonldap> {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-lemonldap-'))
  const port = await reservePort()
  const issuer = `http://127.0.0.1:${port}`
  const client_ids = ['custodia', 'another-app'] as const
  const client_secret = 'a secret between us'
  for (const name of ['conf', 'sessions', 'persistent', 'locks']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'lemonldap-ng.ini'), getIni(folder))
  const settings = getSettings({ folder, issuer, client_ids, client_secret, redirect_uri, rights })
  await writeFile(join(folder, 'conf', 'lmConf-1.json'), JSON.stringify(settings))
  const daemon = startDaemon(
    findProgram('plackup') ?? 'plackup',
    [
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--server',
      'HTTP::Server::PSGI',
      '--env',
      'deployment',
      PROGRAM,
    ],
    { ...process.env, LLNG_DEFAULTCONFFILE: join(folder, 'lemonldap-ng.ini') },
  )
  const stop = async () => {
    await daemon.stop()
    await removeFolder(folder)
  }
  try {
    const address = `${issuer}/.well-known/openid-configuration`
    await untilReady(daemon, 'LemonLDAP::NG', async () => (await fetch(address)).ok)
  } catch (error) {
    await stop()
    throw error
  }
  return { issuer, client_ids, client_secret, stop }
}

const getIni = (folder: string): string => `[all]
logLevel=notice
checkTime=1
[configuration]
type=File
dirName=${folder}/conf
localStorage=Cache::NullCache
localStorageOptions={}
[portal]
staticPrefix=/static
templateDir=${PORTAL}/templates
languages=en
[handler]
`

interface SettingsOptions {
  folder: string
  issuer: string
  client_ids: readonly string[]
  client_secret: string
  redirect_uri: string
  rights: LemonldapRights
}

/** The whole configuration (its reference: https://lemonldap-ng.org/documentation/latest/parameterlist.html). */
function getSettings(options: SettingsOptions) {
  const { folder, issuer, client_ids, rights } = options
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const forEach = <T>(value: T) => Object.fromEntries(client_ids.map((each) => [each, value]))
  const files = (name: string) => ({
    Directory: join(folder, name),
    LockDirectory: join(folder, 'locks'),
    generateModule: 'Lemonldap::NG::Common::Apache::Session::Generate::SHA256',
  })
  return {
    cfgNum: 1,
    cfgAuthor: 'test',
    cfgDate: 1,
    key: 'qwertyuiopasdfgh',
    domain: '127.0.0.1',
    portal: `${issuer}/`,
    cookieName: 'lemonldap',
    securedCookie: 0,
    requireToken: 0,
    // No pictures to read, and no mail.
    captcha_login_enabled: 0,
    captcha_mail_enabled: 0,
    captcha_register_enabled: 0,
    portalDisplayResetPassword: 0,
    whatToTrace: 'uid',
    authentication: 'Demo',
    userDB: 'Same',
    passwordDB: 'Demo',
    demoExportedVars: { cn: 'cn', mail: 'mail', uid: 'uid' },
    // Several values of one attribute are separated so; empty is none.
    macros: {
      custodia_roles: getChoice(Object.entries(rights.roles).map(([uid, roles]) => [uid, roles.join('; ')])),
      ...Object.fromEntries(
        TEXTS.map((claim) => [getMacro(claim), getChoice(Object.entries(rights[claim] ?? {}))]),
      ),
    },
    locationRules: {},
    exportedHeaders: {},
    globalStorage: 'Apache::Session::File',
    globalStorageOptions: files('sessions'),
    persistentStorage: 'Apache::Session::File',
    persistentStorageOptions: files('persistent'),
    localSessionStorage: 'Cache::NullCache',
    localSessionStorageOptions: {},
    tokenUseGlobalStorage: 1,
    issuerDBOpenIDConnectActivation: 1,
    oidcServiceMetaDataIssuer: issuer,
    oidcServicePrivateKeySig: privateKey,
    oidcServicePublicKeySig: publicKey,
    oidcServiceKeyIdSig: 'one',
    oidcServiceAllowAuthorizationCodeFlow: 1,
    oidcRPMetaDataExportedVars: forEach({
      name: 'cn',
      roles: 'custodia_roles;string;always',
      ...Object.fromEntries(TEXTS.map((claim) => [claim, getMacro(claim)])),
    }),
    oidcRPMetaDataOptionsExtraClaims: forEach({ profile: ['name', 'roles', ...TEXTS].join(' ') }),
    oidcRPMetaDataMacros: forEach({}),
    oidcRPMetaDataScopeRules: forEach({}),
    oidcRPMetaDataOptions: Object.fromEntries(client_ids.map((each) => [each, getParty(each, options)])),
  }
}

const getParty = (client_id: string, { client_secret, redirect_uri }: SettingsOptions) => ({
  oidcRPMetaDataOptionsClientID: client_id,
  oidcRPMetaDataOptionsClientSecret: client_secret,
  oidcRPMetaDataOptionsIDTokenSignAlg: 'RS256',
  oidcRPMetaDataOptionsIDTokenForceClaims: 1,
  oidcRPMetaDataOptionsIDTokenExpiration: 300,
  oidcRPMetaDataOptionsAccessTokenExpiration: 300,
  oidcRPMetaDataOptionsAccessTokenJWT: 1,
  oidcRPMetaDataOptionsRedirectUris: redirect_uri,
  oidcRPMetaDataOptionsPostLogoutRedirectUris: redirect_uri,
  oidcRPMetaDataOptionsBypassConsent: 1,
  oidcRPMetaDataOptionsRefreshToken: 1,
  oidcRPMetaDataOptionsRequirePKCE: 1,
})

const getMacro = (claim: string): string => `custodia_${claim}`

/** A Perl expression that answers by the name of the person. */
const getChoice = (values: [string, string][]): string =>
  `{ ${values.map(([uid, value]) => `'${uid}' => '${value}'`).join(', ')} }->{$uid} // ''`
