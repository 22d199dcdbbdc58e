//! Pairs of a rule and a changed summary in supported and in other languages: none may be certified.

use super::{FateKind, certified, fate};

/// Rules in supported languages, and what is not the same.
const CHANGED: &[(&str, &str)] = &[
    // another ending is another word
    ("Exporte in Drittstaaten sind genehmigungspflichtig.", "Exporte in Drittstaaten sind genehmigungsfrei."),
    ("Genehmigungspflichtig sind alle Exporte in Drittstaaten.", "Alle Exporte in Drittstaaten sind genehmigungsfrei."),
    ("Zustimmungspflichtig ist jede Untervermietung der Halle.", "Jede Untervermietung der Halle ist zustimmungsfrei."),
    ("Jede Untervermietung der Halle ist zustimmungspflichtig.", "Jede Untervermietung der Halle ist zustimmungsfrei."),
    ("Unfälle auf dem Gelände sind meldepflichtig.", "Unfälle auf dem Gelände sind meldefrei."),
    ("Meldepflichtig sind alle Unfälle auf dem Gelände.", "Alle Unfälle auf dem Gelände sind meldefrei."),
    ("Der Zugang zum Lager ist gebührenpflichtig für Gäste.", "Der Zugang zum Lager ist gebührenfrei für Gäste."),
    ("Die Kündigung des Vertrags Halle 4 ist fristgebunden.", "Die Kündigung des Vertrags Halle 4 ist fristlos."),
    ("Für Gäste sind nur alkoholfreie Getränke zu bestellen.", "Für Gäste sind nur alkoholhaltige Getränke zu bestellen."),
    ("Kundendaten dürfen nicht an Partner gehen.", "Die Kundendatenbank darf nicht an Partner gehen."),
    ("Die Aufnahmen müssen verschlüsselt gelagert werden.", "Die Aufnahmen müssen unverschlüsselt gelagert werden."),
    ("Nur zuverlässige Fahrer dürfen den Kran bedienen.", "Nur unzuverlässige Fahrer dürfen den Kran bedienen."),
    ("Die Proben müssen recyclingfähig verpackt werden.", "Die Proben müssen recycelt verpackt werden."),
    ("All backups must be recoverable.", "All backups must be recovered."),
    ("All laptops must be encrypted.", "All laptops must be encryptable."),
    ("All laptops must be encrypted.", "All laptops must be unencrypted."),
    ("Laptops that leave the office must be encrypted.", "Unencrypted laptops may leave the office."),
    ("Ship only refundable tickets to Lyon.", "Ship only refunded tickets to Lyon."),
    ("Ship only refundable tickets to Lyon.", "Ship only non-refundable tickets to Lyon."),
    ("Use only reversible migrations on the ledger.", "Use only irreversible migrations on the ledger."),
    ("Use only reversible migrations on the ledger.", "Use only reversed migrations on the ledger."),
    ("Store the samples in a flammable-goods cabinet.", "Store the samples in a nonflammable-goods cabinet."),
    ("Send the draft to the authorized signers only.", "Send the draft to the unauthorized signers only."),
    ("The line must stay connected during the drill.", "The line must stay disconnected during the drill."),
    ("Only printable labels go to the depot.", "Only printed labels go to the depot."),
    ("Employers sign the form before the visit.", "Employees sign the form before the visit."),
    ("Never touch the production tables.", "Never touch the product tables."),
    ("Keep the paperless invoices for 10 years.", "Keep the paper invoices for 10 years."),
    ("Only sugarless drinks for the ward.", "Only sugary drinks for the ward."),
    ("Les envois doivent être remboursables.", "Les envois doivent être remboursés."),
    ("Les envois doivent être réversibles.", "Les envois doivent être irréversibles."),
    ("Les frais doivent être justifiés par le client.", "Les frais doivent être injustifiés par le client."),
    ("Los cambios deben ser reversibles.", "Los cambios deben ser irreversibles."),
    ("Los equipos deben estar conectados durante la prueba.", "Los equipos deben estar desconectados durante la prueba."),
    ("Os pedidos devem ser reembolsáveis.", "Os pedidos devem ser reembolsados."),
    ("As contas devem ficar ativas até a auditoria.", "As contas devem ficar inativas até a auditoria."),
    ("夜间不得打开仓库的门。", "夜间可以打开仓库的门。"),
    ("倉庫の鍵は必ず返却すること。", "倉庫の鍵は返却しなくてよい。"),
    ("창고 열쇠는 반드시 반납해야 한다.", "창고 열쇠는 반납하지 않아도 된다."),
    // beside its own words
    ("Nightly exports go to the vault.", "Nightly exports go to the vault. No longer valid."),
    ("Nightly exports go to the vault.", "Nightly exports go to the vault. Cancelled on Monday."),
    ("Nightly exports go to the vault.", "The rule \"nightly exports go to the vault\" is no longer valid."),
    ("Never lend the spare key.", "Di solito never lend the spare key."),
    // of every kind
    ("Das Verfahren ist mitbestimmungspflichtig.", "Das Verfahren ist mitbestimmungsfrei."),
    ("Umbauten an der Fassade sind anzeigepflichtig.", "Anzeigefrei sind Umbauten an der Fassade."),
    ("Die Ausfuhr von Proben ist lizenzpflichtig.", "Die Ausfuhr von Proben ist lizenzfrei."),
    ("Die Daten müssen löschfähig bleiben.", "Die Daten müssen gelöscht bleiben."),
    ("Rückgaben sind kostenpflichtig für Mitglieder.", "Rückgaben sind für Mitglieder kostenlos."),
    ("Rückgaben sind kostenlos für Mitglieder.", "Rückgaben sind für Mitglieder kostenpflichtig."),
    ("Nur volljährige Mitarbeiter dürfen den Stapler fahren.", "Nur minderjährige Mitarbeiter dürfen den Stapler fahren."),
    ("Der Vertrag Nordhafen ist kündbar bis 31. März.", "Der Vertrag Nordhafen ist unkündbar bis 31. März."),
    ("Der Bericht ist vertraulich und wird nur intern verteilt.", "Der Bericht ist nicht vertraulich und wird nur intern verteilt."),
    ("Alle Besucher sind ausweispflichtig.", "Alle Besucher sind von der Ausweispflicht befreit."),
    ("Die Meldung ist freiwillig.", "Die Meldung ist unfreiwillig."),
    ("Änderungen am Tarif sind zustimmungsbedürftig.", "Änderungen am Tarif sind zustimmungsfrei."),
    ("The invoice is taxable in Denmark.", "The invoice is taxed in Denmark."),
    ("The deposit is refundable until Friday.", "The deposit is nonrefundable until Friday."),
    ("The deposit is refundable until Friday.", "The deposit is refunded until Friday."),
    ("Readable logs are kept for 30 days.", "Unreadable logs are kept for 30 days."),
    ("Only verified senders may use relay-4.", "Only unverified senders may use relay-4."),
    ("Only verified senders may use relay-4.", "Only verifiable senders may use relay-4."),
    ("relay-4 is open to verified senders only.", "Only unverified senders may use relay-4."),
    ("Data must be anonymised before export.", "Data must be anonymous before export."),
    ("Pages must be accessible.", "Pages must be inaccessible."),
    ("The valves must be reusable.", "The valves must be reused."),
    ("Exports need a licence.", "Exports are licence-free."),
    ("Keep the wireless network off.", "Keep the wired network off."),
    ("All meals must be meatless.", "All meals must be meaty."),
    ("All meals must be gluten-free.", "All meals must be gluten-rich."),
    ("Messages must be traceable to a user.", "Messages must be untraceable to a user."),
    ("Use removable drives only.", "Use removed drives only."),
    ("Database dumps stay on vault-2.", "Data dumps stay on vault-2."),
    ("The contractors sign the safety form.", "The contracts sign the safety form."),
    ("International transfers need two signatures.", "Internal transfers need two signatures."),
    ("Disable logging of passwords.", "Enable logging of passwords."),
    ("Les dossiers doivent rester lisibles.", "Les dossiers doivent rester illisibles."),
    ("Les comptes doivent être activés.", "Les comptes doivent être désactivés."),
    ("Le stage est obligatoire et rémunéré.", "Le stage est obligatoire et non rémunéré."),
    ("Los recibos son obligatorios.", "Los recibos son opcionales."),
    ("Los gastos deben ser autorizados por Marta.", "Los gastos deben ser desautorizados por Marta."),
    ("Los contratos deben ser renovables.", "Los contratos deben ser renovados."),
    ("Os dados devem ser legíveis.", "Os dados devem ser ilegíveis."),
    ("O acesso deve ser autenticado.", "O acesso deve ser não autenticado."),
    ("必须加密备份。", "必须解密备份。"),
    ("バックアップは暗号化すること。", "バックアップは暗号化しないこと。"),
    ("Hyra betalas den första.", "Hyra betalas inte den första."),
    ("Kasa je zatvorena nedjeljom.", "Kasa nije zatvorena nedjeljom."),
    ("Kasa je zatvorena nedjeljom.", "Kasa je zatvorena nedjeljom, osim u sezoni."),
    ("Il conto va chiuso venerdì.", "Il conto va chiuso venerdì, se possibile."),
    ("Il conto va chiuso venerdì.", "Il conto non va chiuso venerdì."),
    ("Usifute kamwe data ya wateja.", "Usifute data ya wateja."),
    ("Usifute kamwe data ya wateja.", "Usifute kamwe data ya wateja. Haitumiki tena."),
    ("Backup server setiap malam.", "Backup server setiap minggu."),
    ("Backup database elke nacht.", "Backup database elke nacht, behalve zondag."),
    ("La porta resta chiusa.", "La porta resta chiusa, tranne il lunedì."),
    ("La porta resta chiusa.", "La porta non resta chiusa."),
    ("Controllare il server ogni lunedì.", "Controllare il server ogni lunedì. Regola abolita."),
    ("Deploy sul server solo con approvazione di Marta.", "Deploy sul server anche con approvazione di Marta."),
    ("Token API nie wolno udostępniać.", "Token API wolno udostępniać."),
    ("Usuwaj logi co tydzień.", "Usuwaj logi co miesiąc."),
    ("Stroje se zapínají ráno.", "Stroje se nezapínají ráno."),
    ("A gépek reggel indulnak.", "A gépek reggel nem indulnak."),
    ("Factura se platește luni.", "Factura nu se platește luni."),
    ("Ne donez acces la server fără aprobare.", "Donez acces la server fără aprobare."),
    ("Nepieciešama vadītāja piekrišana.", "Nav nepieciešama vadītāja piekrišana."),
    ("Sąskaitos tvirtinamos vadovo.", "Sąskaitos netvirtinamos vadovo."),
    ("Arved kinnitab juht.", "Arved ei kinnita juht."),
    ("La factura es paga dilluns.", "La factura no es paga dilluns."),
    ("La factura es paga dilluns.", "La factura es paga dilluns, si cal."),
    ("O acceso ao servidor está pechado.", "O acceso ao servidor non está pechado."),
    ("Datenbank backups mogen niet verwijderd worden.", "Datenbank backups mogen verwijderd worden."),
    ("Laskut hyväksyy Kirsi.", "Laskuja ei hyväksy Kirsi."),
    ("Siparişi Ayşe onaylar.", "Siparişi Ayşe onaylamaz."),
    ("Ayse onayi gerekir.", "Ayse onayi gerekmez."),
    ("Nu sterge baza de date.", "Sterge baza de date."),
    ("Khong xoa du lieu khach hang.", "Xoa du lieu khach hang."),
    ("Никогда не удаляйте таблицу счетов.", "Никогда не удаляйте таблицу счетов.\nNo longer valid."),
    ("Никогда не удаляйте таблицу счетов.", "> Никогда не удаляйте таблицу счетов."),
    ("Никогда не удаляйте таблицу счетов.", "~~Никогда не удаляйте таблицу счетов.~~"),
    ("Никогда не удаляйте таблицу счетов.", "## Отменено\n\nНикогда не удаляйте таблицу счетов."),
    ("Никогда не удаляйте таблицу счетов.", "## Cancelled\n\nНикогда не удаляйте таблицу счетов."),
    ("Никогда не удаляйте таблицу счетов.", "The rule «Никогда не удаляйте таблицу счетов.» is gone."),
    ("Никогда не удаляйте таблицу счетов.", "Никогда не удаляйте таблицу счетов?"),
    ("Никогда не удаляйте таблицу счетов.", "Никогда не удаляйте таблицу счетов — неверно."),
    ("Никогда не удаляйте таблицу счетов.", "Никогда не удаляйте таблицу счетов; до пятницы."),
    ("Никогда не удаляйте таблицу счетов", "Никогда не удаляйте таблицу счетов\nбез резервной копии."),
    ("Never lend the spare key.", "Отменено: never lend the spare key."),
    ("Never lend the spare key.", "Obično never lend the spare key."),
    ("Never lend the spare key.", "Never lend the spare key, chyba że Marta się zgodzi."),
    ("Never lend the spare key.", "Never lend the spare key. Not in force any more."),
    ("Never lend the spare key.", "Never lend the spare key.\nWithdrawn."),
    ("Never lend the spare key.", "~~Never lend the spare key.~~"),
    ("अनुमति के बिना डेटा न हटाएं।", "अनुमति के बिना डेटा न हटाएं। यह नियम रद्द है।"),
    ("ห้ามลบตารางใบแจ้งหนี้", "ห้ามลบตารางใบแจ้งหนี้ ยกเว้นวันศุกร์"),
    ("Μη διαγράφεις ποτέ τον πίνακα.", "Μη διαγράφεις ποτέ τον πίνακα, εκτός αν συμφωνεί η Άννα."),
    ("Δεν επιτρέπεται το deploy στο prod.", "Επιτρέπεται το deploy στο prod."),
    ("Не удалять таблицу invoices в базе prod-db.", "Удалять таблицу invoices в базе prod-db."),
];

/// Rules in other languages, and texts that have most or all of their words.
const OTHERS: &[(&str, &str)] = &[
    // Italian
    ("Non cancellare mai i dati dei clienti.", "Di solito non cancellare mai i dati dei clienti."),
    ("Non cancellare mai i dati dei clienti.", "Non cancellare mai i dati dei clienti, salvo richiesta urgente."),
    ("I rimborsi sopra 200 euro richiedono il consenso di Marta.", "I rimborsi sopra 200 euro non richiedono il consenso di Marta."),
    ("I rimborsi sopra 200 euro richiedono il consenso di Marta.", "I rimborsi sopra 200 euro richiedono di rado il consenso di Marta."),
    ("Il server di produzione va riavviato solo di notte.", "Il server di produzione va riavviato anche di notte."),
    // Polish
    ("Nigdy nie usuwaj danych klientów.", "Nigdy nie usuwaj danych klientów, chyba że kierownik się zgodzi."),
    ("Zwroty powyżej 200 zł wymagają zgody Marty.", "Zwroty powyżej 200 zł nie wymagają zgody Marty."),
    ("Zwroty powyżej 200 zł wymagają zgody Marty.", "Zwroty powyżej 200 zł wymagają zgody Marty. To już nie obowiązuje."),
    // Dutch
    ("Verwijder nooit de gegevens van klanten.", "Verwijder meestal nooit de gegevens van klanten."),
    ("De deur van het magazijn moet op slot blijven.", "De deur van het magazijn hoeft niet op slot te blijven."),
    ("De deur van het magazijn moet op slot blijven.", "De deur van het magazijn moet op slot blijven, tenzij het druk is."),
    // Turkish
    ("Her iade müdür onayı gerektirir.", "Her iade müdür onayı gerektirmez."),
    ("Her iade Ayşe Hanım'ın onayını gerektirir.", "Her iade Ayşe Hanım'ın onayını gerektirmez."),
    ("Müşteri verilerini asla silme.", "Müşteri verilerini asla silme. Artık geçerli değil."),
    // Swedish
    ("Radera aldrig kundernas uppgifter.", "Radera aldrig kundernas uppgifter, om inte chefen säger ja."),
    ("Dörren till lagret ska vara låst.", "Dörren till lagret ska inte vara låst."),
    // Czech
    ("Nikdy nemaž data zákazníků.", "Nikdy nemaž data zákazníků, pokud vedoucí neřekne jinak."),
    ("Dveře skladu musí být zamčené.", "Dveře skladu nemusí být zamčené."),
    // Romanian
    ("Nu șterge niciodată datele clienților.", "De obicei, nu șterge niciodată datele clienților."),
    ("Rambursările necesită acordul Martei.", "Rambursările nu necesită acordul Martei."),
    // Vietnamese
    ("Không bao giờ xóa dữ liệu khách hàng.", "Không bao giờ xóa dữ liệu khách hàng, trừ khi quản lý đồng ý."),
    ("Hoàn tiền phải có sự đồng ý của Lan.", "Hoàn tiền không phải có sự đồng ý của Lan."),
    // Indonesian
    ("Jangan pernah menghapus data pelanggan.", "Biasanya jangan pernah menghapus data pelanggan."),
    ("Pengembalian dana harus disetujui oleh Sari.", "Pengembalian dana tidak harus disetujui oleh Sari."),
    // Finnish
    ("Varaston ovi on pidettävä lukittuna.", "Varaston ovea ei tarvitse pitää lukittuna."),
    ("Älä koskaan poista asiakkaiden tietoja.", "Älä koskaan poista asiakkaiden tietoja, ellei esimies salli."),
    // Hungarian
    ("Soha ne töröld az ügyfelek adatait.", "Általában soha ne töröld az ügyfelek adatait."),
    ("A raktár ajtaja zárva kell legyen.", "A raktár ajtaja nem kell zárva legyen."),
    // Danish, Norwegian
    ("Slet aldrig kundernes data.", "Slet som regel aldrig kundernes data."),
    ("Døra til lageret skal være låst.", "Døra til lageret skal ikke være låst."),
    // Croatian, Catalan, Estonian, Latvian, Swahili, Afrikaans, Tagalog
    ("Nikad ne brisati podatke o kupcima.", "Obično nikad ne brisati podatke o kupcima."),
    ("No esborris mai les dades dels clients.", "No esborris mai les dades dels clients, llevat que ho digui la Marta."),
    ("Ära kunagi kustuta klientide andmeid.", "Tavaliselt ära kunagi kustuta klientide andmeid."),
    ("Nekad nedzēs klientu datus.", "Parasti nekad nedzēs klientu datus."),
    ("Usifute kamwe data ya wateja.", "Kwa kawaida usifute kamwe data ya wateja."),
    ("Moet nooit die data van kliënte uitvee nie.", "Moet gewoonlik nooit die data van kliënte uitvee nie."),
    // other scripts
    ("Никогда не удаляйте таблицу счетов.", "Никогда не удаляйте таблицу счетов, кроме срочных случаев."),
    ("Никогда не удаляйте таблицу счетов.", "Обычно никогда не удаляйте таблицу счетов."),
    ("Никогда не удаляйте таблицу счетов.", "Никогда не удаляйте таблицу счетов (no longer valid)."),
    ("Никогда не удаляйте таблицу счетов.", "Никогда не удаляйте таблицу счетов. No longer valid."),
    ("Никогда не удаляйте таблицу счетов.", "Никогда не удаляйте таблицу счетов. Это больше не действует."),
    ("Никогда не удаляйте таблицу счетов.", "No longer valid: Никогда не удаляйте таблицу счетов."),
    ("Никогда не удаляйте таблицу счетов.", "Отменено:\n- Никогда не удаляйте таблицу счетов."),
    ("لا تحذف جدول الفواتير أبدا.", "لا تحذف جدول الفواتير أبدا. This is no longer valid."),
    ("لا تحذف جدول الفواتير أبدا.", "لا تحذف جدول الفواتير أبدا إلا إذا وافق المدير."),
    ("אסור למחוק את טבלת החשבונות.", "אסור למחוק את טבלת החשבונות, אלא אם המנהל מאשר."),
    ("चालान तालिका को कभी न हटाएं।", "चालान तालिका को कभी न हटाएं, जब तक प्रबंधक न कहे।"),
    ("ห้ามลบตารางใบแจ้งหนี้", "ปกติห้ามลบตารางใบแจ้งหนี้"),
    ("Μη διαγράφεις ποτέ τον πίνακα τιμολογίων.", "Συνήθως μη διαγράφεις ποτέ τον πίνακα τιμολογίων."),
];

/// Rules that are told again in full.
const FAITHFUL: &[(&str, &str)] = &[
    ("All laptops must be encrypted.", "Every laptop must be encrypted."),
    ("Never push to the branch release-9.", "Pushing to the branch release-9 is forbidden."),
    ("Refunds above 200 EUR need the approval of Nadia Okafor.", "Nadia Okafor must approve refunds above 200 EUR."),
    ("Store at most 40 drums in the shed.", "Store no more than 40 drums in the shed."),
    ("Deployments to prod-eu are forbidden on Fridays.", "Never deploy to prod-eu on a Friday."),
    ("Backups are kept for 90 days.", "Noted: backups are kept for 90 days."),
    ("Administrators must rotate the keys of vault-3 monthly.", "The keys of vault-3 must be rotated monthly by an administrator."),
    ("Do not share the customer list with contractors.", "The customer list must not be shared with contractors."),
    ("Rotate keys weekly.", "Rotate keys weekly."),
    ("Rotate credentials weekly.", "Printer works. Rotate credentials weekly. Lunch is at noon."),
    ("Only refundable tickets may be booked for Lyon.", "For Lyon only refundable tickets may be booked."),
    ("Exporte in Drittstaaten sind genehmigungspflichtig.", "Offen: Ticket 7. Exporte in Drittstaaten sind genehmigungspflichtig."),
    ("Exporte in Drittstaaten sind genehmigungspflichtig.", "Genehmigungspflichtig sind Exporte in Drittstaaten."),
    ("Jeder genehmigungspflichtige Export geht an Frau Tanneck.", "An Frau Tanneck geht jeder genehmigungspflichtige Export."),
    ("Lösche niemals Rechnungen des Kunden Halberg.", "Rechnungen des Kunden Halberg niemals löschen."),
    ("Das Fenster der Kammer darf nicht geöffnet werden.", "- Das Fenster der Kammer darf nicht geöffnet werden"),
    ("Lagere höchstens 40 Fässer im Schuppen.", "Im Schuppen höchstens 40 Fässer lagern."),
    ("Les clés ne doivent pas quitter la maison.", "Rappel : les clés ne doivent pas quitter la maison."),
    ("Ne jamais envoyer le dossier médical à un tiers.", "Le dossier médical ne doit jamais être envoyé à un tiers."),
    ("Gardez au plus 40 fûts dans le hangar.", "Dans le hangar, gardez au plus 40 fûts."),
    ("Nunca publiques los datos del cliente.", "Recuerda: nunca publiques los datos del cliente."),
    ("Guarda como máximo 40 barriles.", "Resumen: guarda como máximo 40 barriles."),
    ("Nunca apague o servidor de produção.", "O servidor de produção nunca deve ser apagado."),
    ("Guarde no máximo 40 barris.", "Guarde no máximo 40 barris. A impressora funciona."),
    ("严禁将患者病历发送给第三方。", "打印机正常。严禁将患者病历发送给第三方。"),
    ("仓库里最多存放40桶。", "1. 仓库里最多存放40桶。"),
    ("顧客の住所を外部に公開してはいけない。", "会議は月曜。顧客の住所を外部に公開してはいけない。"),
    ("倉庫の鍵を貸さないでください。", "- 倉庫の鍵を貸さないでください。"),
    ("고객의 주소를 외부에 절대 공개하지 마세요.", "회의는 월요일. 고객의 주소를 외부에 절대 공개하지 마세요."),
    ("창고의 통은 40개 이하로 둔다.", "창고의 통은 40개 이하로 둔다."),
    // in another language word by word, as a sentence of its own
    ("Никогда не удаляйте таблицу счетов.", "Summary:\n\n- Никогда не удаляйте таблицу счетов.\n- Принтер работает."),
    ("Nigdy nie usuwaj danych klientów.", "Three tickets are open.\nNigdy nie usuwaj danych klientów.\nThe printer works."),
    ("Her iade müdür onayı gerektirir.", "- Her iade müdür onayı gerektirir.\n- Yazıcı çalışıyor."),
];

#[test]
fn no_changed_rule_is_certified() {
    let wrong: Vec<_> =
        CHANGED.iter().chain(OTHERS).filter(|(rule, text)| certified(rule, text)).map(|pair| (pair, fate(pair.0, pair.1))).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), CHANGED.len() + OTHERS.len());
}

#[test]
fn a_rule_in_another_language_has_no_frame() {
    for (rule, text) in OTHERS {
        let found = fate(rule, text).0;
        assert!(matches!(found, FateKind::Unverifiable | FateKind::Contradicted), "{rule} / {text}: {found:?}");
    }
}

#[test]
fn a_rule_told_again_in_full_is_certified() {
    let wrong: Vec<_> = FAITHFUL.iter().filter(|(rule, text)| !certified(rule, text)).map(|pair| (pair, fate(pair.0, pair.1))).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), FAITHFUL.len());
}
