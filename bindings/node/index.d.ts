/** What a section of a configuration did; `error` when the section as a whole failed. */
export type SectionDiagnostics = {
  loaded: string[]
  failed: string[]
  skipped: string[]
  errors: Record<string, string[]>
  warnings: Record<string, string[]>
} | { error: string }

export type Diagnostics = { ruleset_version?: string, error?: string } & { [section: string]: SectionDiagnostics | string | undefined }

/** Largest true sizes of what was cut; a key is there only when something was. */
export interface TruncationMetrics {
  maxTruncatedString?: number
  maxTruncatedContainerSize?: number
  maxTruncatedContainerDepth?: number
}

export interface Result {
  timeout: boolean
  /** nanoseconds */
  duration?: number
  status?: 'match'
  events?: object[]
  actions?: Record<string, object>
  attributes?: Record<string, unknown>
  metrics: TruncationMetrics
  keep: boolean
}

/** The call was refused: -2 an argument is an array, -3 an internal error. */
export interface Failure {
  errorCode: number
  metrics: TruncationMetrics
}

export interface Payload {
  /** address → value; seen by all later runs of the context */
  persistent?: object
  /** address → value; only for this run */
  ephemeral?: object
}

/** A value converted once, see DDWAF.prepare. */
export class Prepared { private constructor () }

export interface DDWAFContext {
  readonly disposed: boolean
  /** @param timeout microseconds, at least 1 */
  run (payload: Payload, timeout: number): Result | Failure
  dispose (): void
}

export class DDWAF {
  static version (): string
  /** Converts a value that will be given often; the result may stand in its place in payloads. */
  static prepare (value: unknown): Prepared

  readonly disposed: boolean
  readonly configPaths: string[]
  /** of the last configuration that was loaded */
  readonly diagnostics: Diagnostics
  readonly knownAddresses: Set<string>
  readonly knownActions: Set<string>

  constructor (rules: object, rulesPath: string, config?: {
    obfuscatorKeyRegex?: string
    obfuscatorValueRegex?: string
  })

  createOrUpdateConfig (config: object, path: string): boolean
  removeConfig (path: string): boolean
  createContext (): DDWAFContext
  dispose (): void
}
