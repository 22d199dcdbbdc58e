/** What the engine says about a failure. */
export interface Fault {
  /** Stable name of the failure. */
  readonly code: string;
  /** Name of its class, the same in every language: `InvariantLost`, `PolicyError`, … */
  readonly className: string;
  /** One sentence on how to recover. */
  readonly hint: string;
  /** Numbers and ids of the case; never any text of a rule or a message. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The one error of this package. `name` is the class (`InvariantLost`, `StalePlan`, …), `code` the exact failure. */
export class StandfastError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, fault: Fault, options?: { cause?: unknown }) {
    super(message);
    this.name = fault.className;
    this.code = fault.code;
    this.hint = fault.hint;
    this.details = fault.details;
    if (options !== undefined && "cause" in options) {
      Object.defineProperty(this, "cause", { value: options.cause, configurable: true, writable: true });
    }
  }
}
