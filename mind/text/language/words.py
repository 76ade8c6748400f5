"""Words by which languages are told apart: function words, and what developers write."""

FUNCTION = {
    "en": """a about after again all already also always am an and any are aren' as at be because
        been before being both but by can can' could couldn' did didn' do does doesn' doing don'
        each either even every for from had has hasn' have haven' he her here his how i i' if in
        instead into is isn' it it' its itself just less let' like me more most must my never no
        nor not now of off on once only or other our out over own per plus same she should
        shouldn' since so some still such than that that' the their them then there there' these
        they they' this those through to too under until up upon us very via was wasn' we we' were
        weren' what when where whether which while who whose why will with within without won'
        would wouldn' yet you you' your""",
    "de": """ab aber alle allem allen aller alles als am an ans auch auf aus bei beide beim bis
        bitte bzw da dabei dadurch dafuer dafür damit danach dann darf darum das dass dazu dem den
        denn der des deshalb die dies diese diesem diesen dieser dieses doch dort durch ein eine
        einem einen einer eines er es etwa etwas fuer für gegen gestern gibt haben hat hatte heute
        hier ich ihr im immer in ins ist ja jede jeden jeder jedes jetzt kann kein keine keinem
        keinen keiner koennen können mal man mehr mit morgen muessen muss müssen nach nicht nichts
        nie niemand nirgends noch nun nur ob oder ohne pro schon sein seine seit sich sie sind so
        sobald soll sollte sollten sonst statt stets trotz ueber um und uns unser unsere unter
        vermutlich viel vom von vor waehrend war waren warum was wegen weil wenn wer werde werden
        wie wieder wir wird wo wurde wurden während würde zu zum zur zwei zwischen über""",
    "es": """a además ahora al algo alguien algunos antes así aun aunque ayer cada casi como con
        contra cual cuando cuanto cuándo cómo de debe deben del demasiado desde después donde dos
        dónde e el ella ellos en entonces entre era es esa ese eso esta estar estas este esto
        estos está están fue fueron ha hace hacer hacia han hasta hay he hemos hoy la las le lo
        los luego mas mayor mañana mejor mi mientras misma mismo mucho muchos muy más nada nadie
        ni ninguna ningún no nos nosotros nuestra nuestro nunca o os otra otro para peor pero poco
        por porque puede pueden pues que quien qué se sea según semana ser será si sido siempre
        sin sino sobre solo son su sus sí sólo tambien también tan tanto tenemos tenía tiene
        tienen toda todas todavía todo todos tras tú un una unas uno unos usa vez y ya yo él""",
    "fr": """a afin ai ainsi après au aucun aucune aussi autre autres aux avaient avait avant avec
        avoir avons beaucoup c' car ce cela celle celui ces cet cette ceux chaque chez comme
        comment d' dans de demain depuis dernier des deux devant doit doivent donc dont du déjà
        elle elles en encore entre est et etre eu faire fait faut hier il ils j' jamais je jusqu'
        l' la le les leur leurs lors lorsqu' lorsque là m' mais me mes mieux moi moins mon même n'
        ne ni nos notre nous on ont ou où par parce pas pendant personne peu peut peuvent plus
        plusieurs plutôt pour pourquoi presque près puis qu' quand que quel quelle quelques qui
        quoi rien s' sa sans se selon semaine sera ses si soit son sont sous sur ta tant toujours
        tous tout toute toutes trop très tu un une vers veut via voici vos votre vous y à étaient
        était été être""",
    "pt": """a agora ainda algo alguns alguém além amanhã antes ao aos apenas após aqui as assim
        ate até cada com como contra da das de dela dele deles demais depois desde dessa desse
        desta deste deve devem do dois dos e ela ele eles em enquanto entao entre então era essa
        essas esse esses esta estao estar estas estava este estes está estão eu faz fazer foi
        foram havia hoje há isso isto ja já lhe lá maior mais mas me melhor mesma mesmo meu minha
        muito muitos na nada nao nas nem nenhum ninguém no nos nossa nosso num numa nunca não nós
        o onde ontem os ou outra outro para pela pelas pelo pelos pior pode podem pois por porque
        pouco precisa precisamos qual quando que quem sao se seja sem semana sempre senão ser será
        seu seus si sido sobre sua suas são só talvez tambem também tanto tem temos tinha toda
        todas todo todos tudo têm um uma umas uns usa vai vamos vez voce você vocês à às é""",
}
"""Language → its function words; an elided one ends with its apostrophe, as in ``l'``."""

WORKING = {
    "en": """abort accept accepts add added adding additional adds adjust allow allowed allows
        another apply avoid avoids became become becomes behavior behaviour better break breaking
        breaks broke broken build bump bumped call called calls cannot catch caught change changed
        changes changing check checked checks clean cleanup clear clearer close closed code
        correct corrected correctly crash crashes create created creates decided default delete
        deleted deprecate deprecated disable disabled docs document documented drop dropped drops
        duplicate empty enable enabled enforce ensure ensures error errors existing expected
        explicit explicitly expose extend fail failed failing fails failure fallback faster
        feature features file files find first fix fixed fixes fixing flaky follow following
        forget found getting give given gives guard handle handled handles handling helpful hide
        ignore ignored ignores implement implemented improve improved improvement improvements
        improves improving include includes increase instead internal invalid issue issues keep
        keeping keeps kept know last lazy learned leave let lets limit line lines link list load
        longer make makes making mark merge merged minor misc miss missing move moved moves moving
        need needed needs new nothing now old one only open optional parse pass passed passes
        passing please polish prefer prepare prevent previous properly raise raised raises read
        reading reads reduce refactor refactored refactoring refine refuse refuses reject rejects
        release reload rely remove removed removes removing rename renamed replace replaced report
        require required requires reset resolve resolved restart restore retry return returned
        returns revert reverted rework rewrite running runs safe safer send sends set setting
        settings setup sharper show shown shows silence simpler simplify single skip skipped skips
        slightly slow slower slowly small sort speed spelling split start started starts stop
        stopped stops store stored support supported supports swap switch switched switching take
        takes tests throw throws tighten tighter timeout times tweak tweaks two type types typo
        typos unclear undo unify unnecessary unused update updated updates updating upgrade
        upgraded use used useful user users uses using various want wants warn warning warnings
        way work workaround working works wrap write writes writing written wrong years""",
    "de": """abbrechen ablauf abfrage abfragen abhängigkeit abhängigkeiten alte alten ändern
        änderung änderungen anfrage anfragen angepasst anlegen anmeldung anpassen anwendung arbeit
        aufgabe aufruf aufrufe aktualisieren aktualisiert ausgabe behoben beheben benutzer benutzt
        bereits daten datei dateien datenbank deaktiviert eingebaut eingabe eingeführt einstellung
        entfernen entfernt entscheidung entschieden ergänzt erst erste ersten erweitert erzeugt
        fehler fehlerhaft fehlt fehlende fehlschlagen funktioniert geändert gelernt gelöscht
        gelöst getestet hinzufügen hinzugefügt korrigieren korrigiert lädt läuft langsam leere
        liefert löschen lösung meldung nächste nächsten neue neuen neuer neues nutzen nutzer nutzt
        problem prüfen prüfung repariert schlägt schneller schnittstelle seite sicherung sitzung
        speichern speichert sperre startet tabelle teilen übersetzung umbenannt umgebaut
        umgestellt umstellung unterstützung veraltet veraltete verbessern verbessert verhindern
        verschieben verschoben verwenden verwendet verzeichnis vorlage wichtig woche zeile zeilen
        zeit zugriff zusammengeführt""",
    "es": """actualizado actualizar agregado agregar ajustar aprendido aprendimos archivo archivos
        arregla arreglado arreglar añadido añadir borrar búsqueda caché cambiar cambio cambios
        carpeta clave configuración consulta consultas contraseña corregido corregir correo crear
        código datos decidido decidimos decisión dependencias desplegar despliegue ejecutar
        eliminado eliminar errores escribir falla fallan fallo faltante función guardar leer lenta
        lento línea líneas mejora mejorar migración mostrar mover nueva nuevo nuevos pantalla
        probar prueba pruebas quitar reemplazar rendimiento renombrar respuesta servidor sesiones
        sesión siguiente tabla tarda tiempo usamos usando usar usuario usuarios versión""",
    "fr": """activer affichage afficher ajout ajouter ajouté améliorer appel appels appris besoin
        cassé chargement chemin clé connexion corrige corriger corrigé créer données décidé
        décision dépendances déplacer déploiement désactiver ecrire erreur erreurs essai fichier
        fichiers fonction fonctionne gère gérer lecture lent lente ligne lignes lire marche mettre
        mise modifier mot nettoyage nettoyer nouveau nouvel nouvelle outil passe perte plante
        premier première problème recherche remplacer remplacé renommer renvoie requête requêtes
        retirer réglé réseau sauvegarde serveur suppression supprimer supprimé temps utilisateur
        utilisateurs utilise utiliser utilisons vide vérifier échec échoue écran écrire évite
        éviter""",
    "pt": """acrescentar adiciona adicionado adicionar ajustar alterar alteração aplicação
        aprendemos aprendido arquivo arquivos atualizado atualizar atualização banco busca
        carregar chave conexão configuração consultas corrige corrigido corrigir criar código
        dados decidido decidimos decisão dependências erro erros escrever excluir executar falha
        falham falta fila funciona função gravar lenta lento ler linha linhas melhorar melhoria
        migração mostrar mover mudança nova novo novos pedido problema página remover removido
        renomear resposta salvar senha servidor sessão sessões sistema substituir tabela tela
        tempo teste testes trocar usamos usando usar usuário usuários utilizador utilizadores
        versão""",
}
"""Language → what developers write in it about work, in notes too short for function words."""

OTHER = """abbiamo alla anche che come con dal dalla dei del della delle di gli il nel nella non per
    perché più quando questa questo sono una è
    aan bij dat de deze dit door een er geen hebben heeft het maar met moet naar niet nog om ook op
    te uit van voor wij wordt worden zijn
    att av det den ett från för har inte och om på som till vi är
    czy dla jak jest już na nie oraz po przez się tylko w z że
    bir bu da de değil için ile olarak var ve"""
"""Function words of languages that are not told: Italian, Dutch, Swedish, Polish, Turkish."""
