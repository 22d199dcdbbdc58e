// What people share: an image with the rules' words unreadable unless asked for, a link to a sample, a badge, the receipt and
// the snapshot.

import type { Client } from "./client.js";
import { byId, download, fill, h } from "./dom.js";
import type { Verdict } from "./verdict.js";

const [WIDTH, HEIGHT] = [1200, 630];
const INK = { paper: "#fbfaf7", ink: "#1c1b19", soft: "#5d5a53", line: "#e0dcd2", stand: "#17624a", lost: "#a8321a" };
const SERIF = '"Iowan Old Style", Palatino, Georgia, "DejaVu Serif", serif';
const SANS = 'system-ui, "Segoe UI", Roboto, Arial, sans-serif';
/** Rules that fit on the card. */
const LINES = 6;

/** A text of the same look with none of its words: a blur alone could be undone. */
export function unreadable(text: string): string {
  const letters = "nesoratilumecondapsirevu";
  let at = text.length % letters.length;
  return text.replace(/\p{L}|\p{N}/gu, () => letters[(at = (at + 7) % letters.length)]!);
}

/** Draws the card. */
export function drawCard(canvas: HTMLCanvasElement, verdict: Verdict, words: boolean): void {
  [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  const ctx = canvas.getContext("2d")!;
  ctx.fillStyle = INK.paper;
  ctx.fillRect(0, 0, WIDTH, HEIGHT);
  ctx.fillStyle = INK.stand;
  ctx.fillRect(64, 60, 16, 16);
  write(ctx, "standfast", 92, 75, `600 24px ${SANS}`, INK.ink);
  const size = headlineSize(ctx, verdict);
  let x = 62;
  for (const [text, ink] of [[verdict.before, INK.ink], [verdict.bad, verdict.lost > 0 ? INK.lost : INK.stand], [verdict.after, INK.ink]] as const) {
    x += write(ctx, text, x, 160, `500 ${size}px ${SERIF}`, ink);
  }
  const shown = [...verdict.rules].sort((a, b) => Number(b.lost !== null) - Number(a.lost !== null)).slice(0, LINES);
  shown.forEach((rule, i) => line(ctx, rule, 236 + i * 54, words));
  const rest = verdict.rules.length - shown.length;
  if (rest > 0) write(ctx, `and ${rest} more`, 190, 236 + shown.length * 54, `400 20px ${SANS}`, INK.soft);
  write(ctx, "Which of your agent’s rules survive compaction? Checked in the browser, nothing left it.", 64, 588, `400 20px ${SANS}`, INK.soft);
  if (verdict.ours === "") return;
  ctx.font = `600 20px ${SANS}`;
  const ours = `With standfast: ${verdict.ours} stand`;
  write(ctx, ours, WIDTH - 64 - ctx.measureText(ours).width, 75, ctx.font, INK.stand);
}

function headlineSize(ctx: CanvasRenderingContext2D, { before, bad, after }: Verdict): number {
  for (let size = 62; size > 30; size -= 2) {
    ctx.font = `500 ${size}px ${SERIF}`;
    if (ctx.measureText(before + bad + after).width < WIDTH - 128) return size;
  }
  return 30;
}

function write(ctx: CanvasRenderingContext2D, text: string, x: number, y: number, font: string, ink: string): number {
  ctx.font = font;
  ctx.fillStyle = ink;
  ctx.fillText(text, x, y);
  return ctx.measureText(text).width;
}

function line(ctx: CanvasRenderingContext2D, rule: Verdict["rules"][number], y: number, words: boolean): void {
  const gone = rule.lost !== null;
  write(ctx, gone ? `round ${rule.lost}` : "stands", 64, y, `600 20px ${SANS}`, gone ? INK.lost : INK.stand);
  ctx.font = `400 25px ${SERIF}`;
  let text = (words ? rule.text : unreadable(rule.text)).replace(/\s+/g, " ");
  if (ctx.measureText(text).width > WIDTH - 260) {
    while (text.length > 1 && ctx.measureText(`${text}…`).width > WIDTH - 260) text = text.slice(0, -1);
    text += "…";
  }
  ctx.save();
  if (!words) ctx.filter = "blur(7px)";
  const width = write(ctx, text, 190, y, ctx.font, gone ? INK.soft : INK.ink);
  ctx.restore();
  ctx.fillStyle = INK.line;
  ctx.fillRect(64, y + 18, WIDTH - 128, 1);
  if (!gone) return;
  ctx.fillStyle = INK.lost;
  ctx.fillRect(186, y - 9, width + 8, 3);
}

const BADGE = "standfast-badge.svg";

/** A badge as an SVG text. Only numbers and our own words stand in it. */
export function badge({ judged, lost, rounds }: Verdict): string {
  const [left, right] = ["rules after compaction", `${judged - lost} of ${judged} stand`];
  const [a, b] = [156, 22 + right.length * 6.6];
  const paint = lost > 0 ? INK.lost : INK.stand;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${a + b}" height="22" role="img" aria-label="${left}: ${right}, ${rounds} rounds"><rect width="${a}" height="22" rx="4" fill="#2b2a27"/><rect x="${a - 4}" width="${b + 4}" height="22" rx="4" fill="${paint}"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle"><text x="${a / 2}" y="15">${left}</text><text x="${a + b / 2}" y="15">${right}</text></g></svg>`;
}

/** What a README says of it: the badge's file beside it, and its words for who does not see the picture. */
export function badgeLine({ judged, lost, rounds }: Verdict): string {
  return `![rules after compaction: ${judged - lost} of ${judged} stand, ${rounds} rounds](./${BADGE})`;
}

/** The buttons below the verdict. `sample` is set where the file is one of the page's own. */
export function showActions(verdict: Verdict, client: Client, sample: string | null, say: (text: string) => void, fail: (error: unknown) => void): void {
  const share = byId("share");
  share.hidden = true;
  const copied = async (text: string, what: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      say(`${what} copied.`);
    } catch {
      say(`This browser does not let the page copy. ${what}: ${text}`);
    }
  };
  const file = (method: "receipt" | "snapshot") => (): void => {
    client.call(method, {}).then((text) => download(`standfast-${method}.json`, "application/json", text), fail);
  };
  fill(
    byId("actions"),
    h("button.button.primary", { type: "button", onclick: () => card(verdict, say) }, "Share as an image"),
    sample !== null && h("button.button", { type: "button", onclick: () => void copied(`${location.origin}${location.pathname}#sample=${sample}`, "Link") }, "Copy the link"),
    verdict.judged > 0 && h("button.button", { type: "button", onclick: () => download(BADGE, "image/svg+xml", badge(verdict)) }, "Badge"),
    verdict.judged > 0 && h("button.button", { type: "button", onclick: () => void copied(badgeLine(verdict), "Markdown") }, "Copy the badge’s Markdown"),
    h("button.button", { type: "button", onclick: file("receipt") }, "Receipt"),
    h("button.button", { type: "button", onclick: file("snapshot") }, "Snapshot"),
  );
}

function card(verdict: Verdict, say: (text: string) => void): void {
  const canvas = h("canvas", { role: "img", "aria-label": `${verdict.before}${verdict.bad}${verdict.after}. The rules’ words are blurred unless shown.` });
  const words = h("input", { type: "checkbox" });
  const draw = (): void => drawCard(canvas, verdict, words.checked);
  words.addEventListener("change", draw);
  const blob = (): Promise<Blob> => new Promise((resolve, reject) => canvas.toBlob((made) => (made === null ? reject(new Error("no image")) : resolve(made)), "image/png"));
  const copy = h("button.button", { type: "button" }, "Copy the image");
  copy.addEventListener("click", () => {
    // Safari wants the promise, made in the click
    navigator.clipboard.write([new ClipboardItem({ "image/png": blob() })]).then(
      () => say("Image copied."),
      () => say("This browser does not let the page copy images. Save it instead."),
    );
  });
  const save = h("button.button", { type: "button", onclick: () => void blob().then((made) => download("standfast.png", "image/png", made)) }, "Save the image");
  draw();
  const share = byId("share");
  fill(share, canvas, h("div.row", {}, copy, save, h("label", {}, words, " Show the rules’ words")));
  share.hidden = false;
  canvas.scrollIntoView({ block: "nearest" });
}
