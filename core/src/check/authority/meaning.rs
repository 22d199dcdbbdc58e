//! Which words of a claim and of an approval mean the same, across languages.

use super::super::stems::{Stem, is_wide, letters, stem, stems};
use crate::text::frame::{self, hash, lexicon};
use std::sync::OnceLock;

/// Acts in several languages, each list of one.
const TRANSLATED: &[&str] = &[
    "refund erstattung erstatten erstatte rückerstattung remboursement rembourser reembolso reembolsar",
    "delete löschung löschen lösche suppression supprimer borrado borrar exclusão excluir eliminar",
    "payment zahlung zahlen bezahlen paiement payer pago pagar pagamento",
    "order bestellung bestellen commande commander pedido encomenda",
    "invoice rechnung facture factura fatura",
    "cancel stornieren stornierung annuler annulation cancelar anulación cancelamento",
    "send senden schicken versand envoyer envoi enviar envío envio",
    "release veröffentlichung publication publicación publicação veröffentlichen",
];

/// What all words of one meaning have in common.
pub(super) fn meaning(stem: Stem) -> u32 {
    if is_wide(stem) {
        return stem as u32;
    }
    let canon = |stem: Stem| lexicon().canon(hash(frame::stem(&letters(stem))));
    // read once: this is asked for every stem of a text
    static ACTS: OnceLock<Vec<(Stem, u32)>> = OnceLock::new();
    let acts = ACTS.get_or_init(|| {
        let one = |words: &'static str| {
            let first = canon(self::stem(words.split(' ').next().unwrap_or_default()));
            words.split(' ').filter_map(move |word| stems(word).first().map(|stem| (*stem, first)))
        };
        TRANSLATED.iter().flat_map(|words| one(words)).collect()
    });
    acts.iter().find(|act| act.0 == stem).map_or_else(|| canon(stem), |act| act.1)
}
