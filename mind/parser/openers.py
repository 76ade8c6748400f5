"""The phrases that open a sentence about something remembered, for each language, as data.

Every value is a list of phrases in lower case, separated by ``|``.
"""

from collections.abc import Mapping

OPENERS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "rejected": (
            "decided against|decided not to|decided not|chose not to|rejected the|tried using|"
            "tried to|gave up on|abandoned|ruled out|we decided against|we decided not to|"
            "i decided not to|opted against"
        ),
        "decision": (
            "decided to|decided on|decided that|decided we|decided|we decided|i decided|"
            "going with|we're going with|we are going with|went with|we went with|chose|"
            "we chose|i chose|opted for|opting for|we opted for|settled on|we settled on|"
            "agreed to|we agreed to|agreed on|we agreed on|will use|we will use|we'll use|"
            "switched to|switching to|decision to|decision is to|the decision is to|"
            "sticking with|picked|we picked|standardized on|standardised on|team decided|"
            "the team decided"
        ),
        "learning": (
            "learned that|learned how|learned to|learned|learnt|we learned|i learned|til|"
            "today i learned|turns out|it turns out|realized that|realized|realised that|"
            "discovered that|discovered|found out|figured out|found that|noticed that|"
            "root cause was|the root cause|lesson learned|key insight"
        ),
        "problem": (
            "problem with|problem is|problem was|the problem is|the problem was|issue with|"
            "issue is|the issue is|the issue was|hit an issue|hit a problem|hit a bug|"
            "hit an error|ran into|running into|bug in|bug where|error in|error when|"
            "error with|found a bug|there's a bug|there is a bug|struggling with|we hit|"
            "we ran into|having trouble"
        ),
        "progress": (
            "fixed|spawned|investigated|"
            "built|shipped|completed|implemented|added|created|finished|solved|resolved|"
            "updated|improved|refactored|removed|migrated|deployed|released|merged|researched|"
            "wrote|rewrote|wired|integrated|introduced|replaced|deleted|renamed|upgraded|"
            "optimized|optimised|extracted|enabled|enhanced|converted|moved|cleaned up|changed|"
            "moved to|we built|we shipped|we implemented|we added|we fixed|i fixed|i built|"
            "i added|i implemented|finally fixed|finally got|managed to|successfully|extended|"
            "simplified|consolidated|established|initialized|initialised|launched|tested|"
            "verified|documented|analyzed|analysed|debugged|configured|installed|published|"
            "bumped|reworked|designed|developed|adjusted|modified|corrected|expanded|reduced|"
            "redesigned|reorganized|restructured|archived"
        ),
        "blocker": (
            "blocked by|blocked on|blocked until|blocked because|blocked|stuck on|stuck with|"
            "stuck because|waiting on|waiting for|we are blocked|we're blocked|i'm blocked|"
            "i am blocked|we are stuck|we're stuck|can't proceed|cannot proceed"
        ),
        "gotcha": (
            "watch out|beware|be careful|careful with|careful:|gotcha|heads up|don't forget|"
            "keep in mind|note that"
        ),
        "assumption": "assuming that|assuming|assume that|we assume|i assume",
        "goal": "the goal is|our goal is|goal is to",
    },
    "es": {
        "rejected": (
            "decidimos no|decidido no|se decidió no|descartamos|se descartó|rechazamos|"
            "abandonamos|probamos"
        ),
        "decision": (
            "decidimos|decidí|se decidió|hemos decidido|elegimos|optamos por|vamos con|"
            "nos quedamos con|usaremos|se eligió|acordamos"
        ),
        "learning": (
            "aprendimos que|aprendí que|resulta que|descubrimos que|nos dimos cuenta|"
            "aprendimos|aprendí|descubrí que|hoy aprendí"
        ),
        "problem": (
            "tenemos un problema|hay un problema|el problema es|encontramos un error|"
            "tuvimos problemas|hay un error|problema con|error en|error al"
        ),
        "progress": (
            "arreglamos|corregimos|arreglé|corregí|añadimos|implementamos|terminamos|"
            "completamos|creamos|publicamos|se corrigió|se añadió|se implementó|se creó|"
            "se agregó|arreglado|añadido|implementado|corregido|creado|se actualizó|"
            "solucionamos"
        ),
        "blocker": (
            "bloqueado por|bloqueados por|estamos bloqueados|esperando a|bloqueada por|"
            "atascados en|nos atascamos|estamos atascados|a la espera de"
        ),
        "gotcha": "cuidado con|ojo con|hay que tener cuidado|no olvidar",
        "assumption": "suponemos que|asumimos que|suponiendo que",
    },
    "de": {
        "rejected": (
            "entschieden gegen|haben uns gegen|wir haben uns gegen|verworfen|abgelehnt|"
            "nicht verwenden|wir verwerfen|aufgegeben"
        ),
        "decision": (
            "entschieden|wir haben entschieden|wir haben uns für|beschlossen|"
            "wir haben beschlossen|wir nehmen|wir verwenden|wir nutzen|wir setzen auf|"
            "haben uns für|es wurde entschieden|wir bleiben bei|umgestiegen auf|habe mich für"
        ),
        "learning": (
            "gelernt|wir haben gelernt|es stellte sich heraus|stellt sich heraus|"
            "herausgefunden|ich habe gelernt|festgestellt|heute gelernt|es zeigt sich"
        ),
        "problem": (
            "problem mit|problem bei|fehler in|fehler bei|fehler beim|es gibt ein problem|"
            "das problem ist|gestoßen auf|wir haben ein problem"
        ),
        "progress": (
            "behoben|gefixt|umgesetzt|implementiert|hinzugefügt|fertiggestellt|abgeschlossen|"
            "wir haben behoben|ausgeliefert|erstellt|eingebaut|migriert|aktualisiert"
        ),
        "blocker": (
            "blockiert durch|blockiert von|warten auf|wartet auf|wir sind blockiert|"
            "hängen fest|wir warten auf"
        ),
        "gotcha": "vorsicht bei|vorsicht mit|achtung bei|nicht vergessen|aufpassen",
        "assumption": "wir nehmen an|angenommen, dass|unter der annahme",
    },
    "fr": {
        "rejected": (
            "décidé de ne pas|nous avons rejeté|on a rejeté|on a abandonné|"
            "nous avons abandonné|nous avons écarté|abandonné|essayé"
        ),
        "decision": (
            "décidé de|décidé d'|nous avons décidé|on a décidé|nous avons choisi|on a choisi|"
            "on part sur|nous partons sur|on utilise|choisi|opté pour|il a été décidé|"
            "nous avons opté pour|on garde"
        ),
        "learning": (
            "appris que|on a appris|nous avons appris|il s'avère que|découvert que|"
            "on s'est rendu compte|j'ai appris|nous avons découvert"
        ),
        "problem": (
            "problème avec|problème de|erreur dans|erreur lors|bug dans|nous avons un problème|"
            "il y a un problème|on a rencontré|nous avons rencontré"
        ),
        "progress": (
            "corrigé|ajouté|implémenté|terminé|livré|créé|nous avons corrigé|on a corrigé|"
            "nous avons ajouté|on a ajouté|résolu|déployé|mis à jour|mis en place|migré"
        ),
        "blocker": (
            "bloqué par|bloqués par|nous sommes bloqués|on est bloqué|en attente de|"
            "en attente d'|bloquée par"
        ),
        "gotcha": "attention à|attention aux|gare à|ne pas oublier|prendre garde",
        "assumption": "nous supposons|on suppose|en supposant que",
    },
    "pt": {
        "rejected": (
            "decidimos não|decidido não|descartamos|rejeitamos|abandonamos|foi descartado|tentamos"
        ),
        "decision": (
            "decidimos|decidi|escolhemos|optamos por|vamos usar|vamos com|usaremos|"
            "foi decidido|ficou decidido|decidiu-se|ficamos com"
        ),
        "learning": (
            "aprendemos que|aprendi que|descobrimos que|acontece que|percebemos que|aprendemos|"
            "descobri que|hoje aprendi"
        ),
        "problem": (
            "problema com|problema no|problema na|erro no|erro na|erro ao|temos um problema|"
            "há um problema|encontramos um erro|bug no"
        ),
        "progress": (
            "corrigimos|corrigi|adicionamos|implementamos|terminamos|concluímos|criamos|"
            "entregamos|corrigido|adicionado|implementado|criado|resolvemos|atualizamos"
        ),
        "blocker": (
            "bloqueado por|bloqueados por|estamos bloqueados|aguardando|travados em|à espera de"
        ),
        "gotcha": "cuidado com|atenção com|atenção ao|não esquecer",
        "assumption": "supomos que|assumimos que|supondo que|presumimos que",
    },
    "ru": {
        "rejected": (
            "решили не|решил не|решено не|отказались от|отказался от|отвергли|пробовали|попробовали"
        ),
        "decision": (
            "решили|решил|решила|решено|выбрали|выбрал|выбрано|остановились на|"
            "будем использовать|используем|принято решение|договорились|перешли на|переходим на"
        ),
        "learning": (
            "узнали|узнал|узнала|выяснили|выяснилось|оказалось|оказывается|обнаружили|"
            "понял, что|поняли, что|обнаружено, что"
        ),
        "problem": (
            "проблема с|проблема в|ошибка в|ошибка при|столкнулись с|есть проблема|баг в|"
            "возникла проблема|не работает|не работают"
        ),
        "progress": (
            "исправили|исправил|исправлено|исправлена|исправлен|исправлены|добавили|добавил|"
            "добавлено|добавлена|добавлен|добавлены|реализовали|реализовано|реализована|"
            "реализован|сделали|сделано|завершили|завершено|выпустили|починили|починил|"
            "обновлён|обновлен|обновлена|обновлено|обновлены|создан|создана|создано|созданы|"
            "удалён|удалены|внедрён|внедрена|внедрено|настроен|настроена|настроено|переписан|"
            "переписали"
        ),
        "blocker": (
            "заблокированы|заблокирован|заблокировано|ждём|ждем|ожидаем|застряли на|застрял на|"
            "блокирует"
        ),
        "gotcha": "осторожно с|обратите внимание|не забыть|важно помнить",
        "assumption": "предполагаем, что|предполагаем|допустим, что|считаем, что",
    },
    "zh": {
        "rejected": "决定不|決定不|放弃了|放棄了|否决了|不再使用|尝试了|弃用",
        "decision": (
            "决定采用|决定使用|决定|決定|选择了|选择使用|選擇|选用|采用了|我们决定|我们选择|"
            "改用|最终选择|最终决定"
        ),
        "learning": "学到|學到|发现|發現|原来|事实证明|了解到|意识到|得知",
        "problem": "遇到问题|遇到了|遇到|出现了问题|报错|问题是|无法",
        "progress": (
            "修复了|修復了|已修复|完成了|已完成|实现了|已实现|添加了|新增了|新增|已添加|创建了|"
            "解决了|已解决|更新了|优化了|重构了|部署了|发布了|修复|完成|实现"
        ),
        "blocker": "被阻塞|阻塞于|卡在|等待|受阻于",
        "gotcha": "注意|小心|当心|切记|务必",
        "assumption": "假设|我们假设|假定",
    },
    "ja": {
        "rejected": "却下した|断念した|見送った|採用しない|やめた",
        "decision": "決定した|採用した|選択した|に決めた|することにした",
        "learning": "学んだ|分かった|わかった|発見した|判明した|判明",
        "problem": "問題が発生|エラーが発生|不具合が発生|バグを発見",
        "progress": (
            "修正した|実装した|追加した|完了した|作成した|解決した|対応した|リリースした|更新した"
        ),
        "blocker": "ブロックされている|待ち状態|待っている",
        "gotcha": "注意が必要|気をつける",
        "assumption": "と仮定|仮定する",
    },
}
"""Phrases that need no colon.

Japanese puts its verb last: there they are looked for at the end of the sentence.
"""
