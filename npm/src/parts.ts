// What a guard is made of, and how the engine's answers become the host's own objects again.

import { checkedStore, keyText, takeAll } from "./arguments.js";
import { call, engine, fault, withStored, type Engine } from "./engine.js";
import { list, optionText, record, text } from "./input.js";
import { Mirror } from "./mirror.js";
import { renderRequest, type Provider, type Requests } from "./provider.js";
import type { RestoreOptions, Window } from "./options.js";
import type { LogStore } from "./store.js";
import type * as wire from "./wire.js";

export type EngineGuard = InstanceType<Engine["Guard"]>;

export interface Parts<M> {
  engine: EngineGuard;
  store: LogStore | undefined;
  /** The host's objects by seq. */
  hosts: Map<number, M>;
  /** The seq of each message of the host's list. */
  seqs: number[];
  mirror: Mirror;
  restored: wire.RestoreVerdict | null;
}

type Slot = { host: number } | { own: object };

/** The parts of a guard from a snapshot, and the texts that a store had of it. */
export function restoredParts<M extends object>(state: string, options: RestoreOptions<M>, found: Map<string, string> | undefined): Parts<M> {
  const { messages, store, key, ...rest } = record("options", options) as RestoreOptions<M> & Record<string, unknown>;
  const copies = messages === undefined ? undefined : takeAll(list("messages", messages), 0).copies;
  const given = optionText("options", { ...rest, key: keyText(key) });
  const gotten = found === undefined ? undefined : JSON.stringify(Object.fromEntries(found));
  const { Guard: Made } = engine();
  const made = call(() => Made.restore(text("text", state), given, copies && JSON.stringify(copies), gotten));
  const verdict = JSON.parse(made.verdict()) as wire.RestoreVerdict;
  const core = made.guard();
  made.free();
  if (core === undefined) throw fault("snapshot_unreadable", "the snapshot gave no guard");
  const hosts = new Map<number, M>();
  const mirror = new Mirror();
  const seqs: number[] = [];
  if (messages !== undefined && copies !== undefined && verdict.seqs.length === messages.length) {
    verdict.seqs.forEach((seq, index) => hosts.set(seq, messages[index] as M));
    mirror.replace(0, copies);
    seqs.push(...verdict.seqs);
  }
  return { engine: core, store: checkedStore(store), hosts, seqs, mirror, restored: verdict };
}

/** A window as the engine tells it, of the host's objects. */
export function windowOf<M extends object>(made: string, hosts: ReadonlyMap<number, M>): Window<M> {
  const { value, stored } = JSON.parse(made) as { value: { slots: Slot[]; system: string | unknown[] | null; pinned: string; receipt: wire.Receipt }; stored: string };
  const messages = value.slots.map((slot) => {
    if ("own" in slot) return slot.own as M;
    const message = hosts.get(slot.host);
    if (message === undefined) throw fault("tail_not_attached", `the message of event ${slot.host} is not here`);
    return message;
  });
  const window = { messages, system: value.system, pinned: value.pinned, receipt: withStored(value.receipt, stored) };
  const render = <P extends Provider>(provider: P): Requests<M>[P] => renderRequest(provider, messages, { system: window.system });
  return Object.defineProperty(window as Window<M>, "render", { value: render });
}
