"""The words by which people announce what they remember, for each language, as data.

Every value is a list of words or phrases in lower case, separated by ``|``; the first three of
a kind announce it even where the section says something else.
"""

from collections.abc import Mapping

LABELS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "decision": (
            "decided|decision|decisions|chose|chosen|choice|choices|choices made|going with|"
            "went with|resolution|design choice|adr|rfc|agreed|decisions made|decision made|"
            "decisions and considerations|decisions log|decision log|trade-off|trade-offs|"
            "tradeoff|tradeoffs|decision record|decision records"
        ),
        "rejected": (
            "rejected|decided against|decided not to|decided not to use|tried|abandoned|"
            "abandoning|didn't work|did not work|does not work|dead end|dead ends|ruled out|"
            "discarded|rejected approaches|rejected approach|rejected alternatives|"
            "failed approach|failed approaches|failed attempt|failed attempts|tried and failed|"
            "tried approaches|approaches tried|what didn't work|what did not work|won't do|"
            "chose not to|rejections|anti-pattern|anti-patterns|antipattern|antipatterns|"
            "reverted"
        ),
        "learning": (
            "learned|learnt|learning|learnings|til|lesson|lessons|lesson learned|lesson learnt|"
            "lessons learned|lessons learnt|learned lessons|insight|insights|discovered|"
            "discovery|discoveries|finding|findings|found|takeaway|takeaways|realized|realised|"
            "realization|root cause|conclusion|conclusions|correction|corrections|pattern|"
            "patterns|project insights|learnings and project insights|best practice|"
            "best practices|patterns and preferences|important|key|what i learned|"
            "what we learned|fun fact|key point|key points|observation|observations|"
            "today i learned|knowledge|tip|tips|feedback|preference|preferences|"
            "user preferences|rule of thumb"
        ),
        "gotcha": (
            "gotcha|gotchas|warning|warnings|careful|be careful|beware|caveat|caveats|"
            "watch out|watch out for|pitfall|pitfalls|trap|traps|edge case|edge cases|quirk|"
            "quirks|attention|caution|non-obvious|non-obvious behaviors|non-obvious behaviour|"
            "sharp edges|sharp edge|footgun|footguns|foot-gun|known limitation|"
            "known limitations|limitation|limitations|risk|risks|critical rule|critical rules|"
            "rule|rules|danger|heads up|heads-up|danger zone|danger zones|common mistakes|"
            "common mistake|mistake|mistakes|never do|things to avoid|what to avoid|surprises|"
            "constraints"
        ),
        "problem": (
            "problem|problems|issue|issues|bug|bugs|error|defect|defects|failure|failures|"
            "failed|broken|known issues|known issue|known bugs|known problems|known errors|"
            "open issues|open problems|open bugs|bug found|bugs found|regression|regressions|"
            "technical debt|tech debt|crash|incident|incidents|challenge|challenges"
        ),
        "progress": (
            "fixed|progress|done|fix|fixes|bugfix|bug fix|bugfixes|bug fixes|hotfix|built|"
            "shipped|completed|complete|implemented|added|created|finished|solved|resolved|"
            "updated|improved|refactored|removed|migrated|deployed|released|merged|achieved|"
            "achievement|achievements|success|successes|result|results|changed|upgraded|"
            "feature|feat|recent changes|recently changed|recent updates|recent work|"
            "recent progress|recent accomplishments|accomplishments|accomplished|"
            "latest changes|latest updates|completed tasks|completed work|completed features|"
            "completed items|recently completed|what works|what was done|what we did|work done|"
            "changes|changes made|change log|changelog|what's done|milestone reached|"
            "milestones reached|"
            "completed milestones|implementation|already done|progress made|progress log|"
            "what changed|enhancements|completed enhancements|resolved issues|fixed issues|"
            "fixed bugs|bugs fixed|issues fixed|key improvements|improvements|modifications|"
            "updates"
        ),
        "blocker": (
            "blocked|blocker|blockers|blocked by|blocked on|stuck|stuck on|blocking|"
            "blocking issue|blocking issues|waiting on|waiting for|impediment|impediments|"
            "current blockers|show stopper|showstopper"
        ),
        "assumption": (
            "assumption|assumptions|assumed|assuming|assume|hypothesis|hypotheses|"
            "working assumptions|working assumption"
        ),
        "experience": "experience|experiences|experienced",
        "goal": "goal|goals|project goal|objective|objectives|mission|purpose",
        "todo": (
            "todo|todos|to do|to-do|to-dos|fixme|action item|action items|follow-up|follow up|"
            "follow-ups|open tasks|remaining tasks"
        ),
        "relation": "relation|relations|relationships",
        "note": "note|notes|nb|fyi|info|misc",
    },
    "es": {
        "decision": (
            "decidido|decisión|decisiones|decidimos|decidí|decisiones clave|elegido|elegimos|"
            "elección|registro de decisiones|decisiones tomadas|decisiones técnicas|"
            "decisiones activas|acordado|opción elegida"
        ),
        "rejected": (
            "rechazado|rechazados|descartado|descartada|descartados|descartadas|decidido no|"
            "probado|intentado|abandonado|no funcionó|enfoques rechazados|enfoques descartados|"
            "alternativas descartadas"
        ),
        "learning": (
            "aprendido|aprendizaje|aprendizajes|aprendimos|aprendí|lección|lecciones|"
            "lecciones aprendidas|lección aprendida|descubierto|descubrimiento|descubrimientos|"
            "hallazgo|hallazgos|conclusión|conclusiones|causa raíz|hoy aprendí|patrón|patrones|"
            "aprendizajes clave|patrones importantes|importante|buenas prácticas"
        ),
        "gotcha": (
            "cuidado|ojo|advertencia|advertencias|trampa|trampas|atención|aviso|avisos|peligro|"
            "limitación|limitaciones|limitaciones conocidas|riesgo|riesgos|casos límite|"
            "precaución|precauciones|a tener en cuenta|errores comunes"
        ),
        "problem": (
            "problema|problemas|error|fallo|fallos|bug|bugs|incidencia|incidencias|"
            "problemas conocidos|errores conocidos|fallos conocidos|problemas abiertos|defecto"
        ),
        "progress": (
            "arreglado|arreglada|corregido|corregida|corregidos|solucionado|solucionada|"
            "resuelto|hecho|terminado|completado|completada|completados|implementado|"
            "implementada|añadido|añadida|agregado|creado|creada|progreso|avance|avances|"
            "cambios recientes|cambios|últimos cambios|actualizado|publicado|desplegado|logros|"
            "resultado|resultados|implementación|lo que funciona|tareas completadas|migrado|"
            "eliminado|mejorado|solución"
        ),
        "blocker": (
            "bloqueado|bloqueada|bloqueo|bloqueos|bloqueado por|impedimento|impedimentos|"
            "atascado|esperando"
        ),
        "assumption": "suposición|suposiciones|supuesto|supuestos|asumimos|hipótesis|asumido",
        "experience": "experiencia|experiencias",
        "goal": "objetivo|objetivos|meta|metas|propósito",
        "todo": "pendiente|pendientes|por hacer|tareas pendientes|tarea",
        "relation": "relaciones|relación",
        "note": "nota|notas",
    },
    "de": {
        "decision": (
            "entschieden|entscheidung|entscheidungen|beschlossen|beschluss|beschlüsse|gewählt|"
            "wahl|getroffene entscheidungen|wichtige entscheidungen|architekturentscheidung|"
            "architekturentscheidungen|designentscheidung|designentscheidungen|"
            "entscheidungslog|entscheidungsprotokoll|festgelegt|technische entscheidungen|"
            "aktive entscheidungen"
        ),
        "rejected": (
            "verworfen|abgelehnt|entschieden gegen|dagegen entschieden|versucht|aufgegeben|"
            "ausgeschlossen|funktionierte nicht|verworfene ansätze|verworfene alternativen|"
            "abgelehnte ansätze|sackgasse|sackgassen|gescheitert"
        ),
        "learning": (
            "gelernt|erkenntnis|erkenntnisse|lektion|lektionen|lehre|lehren|einsicht|"
            "einsichten|herausgefunden|entdeckt|ursache|fazit|heute gelernt|muster|wichtig|"
            "wichtige erkenntnisse|gelerntes|grundursache|wichtige muster|best practices"
        ),
        "gotcha": (
            "achtung|vorsicht|warnung|warnungen|stolperfalle|stolperfallen|falle|fallen|"
            "fallstrick|fallstricke|einschränkung|einschränkungen|bekannte einschränkungen|"
            "randfall|randfälle|risiko|risiken|besonderheiten|tücken|häufige fehler|hinweis|"
            "hinweise"
        ),
        "problem": (
            "problem|probleme|fehler|bug|bugs|defekt|störung|bekannte probleme|bekannte fehler|"
            "offene probleme|offene fehler"
        ),
        "progress": (
            "behoben|erledigt|fertig|gefixt|gebaut|umgesetzt|implementiert|hinzugefügt|"
            "abgeschlossen|erstellt|fortschritt|fortschritte|gelöst|lösung|ausgeliefert|"
            "veröffentlicht|aktualisiert|letzte änderungen|jüngste änderungen|"
            "kürzliche änderungen|änderungen|neueste änderungen|ergebnis|ergebnisse|erreicht|"
            "umsetzung|was funktioniert|entfernt|migriert|erfolge|verbessert|"
            "abgeschlossene aufgaben"
        ),
        "blocker": (
            "blockiert|blockade|blocker|blockaden|blockiert durch|hindernis|hindernisse|"
            "wartet auf|warten auf|hängt an"
        ),
        "assumption": "annahme|annahmen|angenommen|hypothese|hypothesen",
        "experience": "erfahrung|erfahrungen",
        "goal": "ziel|ziele|projektziel|zweck|zielsetzung",
        "todo": "zu tun|offen|offene aufgaben|aufgabe|aufgaben|todo|todos",
        "relation": "beziehungen|beziehung",
        "note": "notiz|notizen|anmerkung|anmerkungen",
    },
    "fr": {
        "decision": (
            "décidé|décision|décisions|choisi|choix|décisions clés|journal des décisions|"
            "nous avons décidé|décisions techniques|décisions prises|décisions actives|retenu|"
            "convenu"
        ),
        "rejected": (
            "rejeté|rejetée|rejetés|refusé|écarté|écartée|écartés|décidé de ne pas|essayé|"
            "abandonné|abandonnée|n'a pas marché|n'a pas fonctionné|approches rejetées|"
            "approches abandonnées|alternatives rejetées|impasse|impasses"
        ),
        "learning": (
            "appris|apprentissage|apprentissages|leçon|leçons|leçon apprise|leçons apprises|"
            "découvert|découverte|découvertes|constat|constats|conclusion|conclusions|"
            "cause racine|cause profonde|enseignement|enseignements|motif|motifs|important|"
            "bonnes pratiques|schémas importants|ce que j'ai appris|aujourd'hui j'ai appris"
        ),
        "gotcha": (
            "attention|piège|pièges|avertissement|avertissements|prudence|méfiance|gare à|"
            "limite connue|limites connues|limitation|limitations|cas limite|cas limites|"
            "risque|risques|mise en garde|mises en garde|erreurs fréquentes|à éviter"
        ),
        "problem": (
            "problème|problèmes|erreur|bogue|bogues|bug|bugs|anomalie|anomalies|"
            "problèmes connus|bugs connus|erreurs connues|problèmes ouverts|panne"
        ),
        "progress": (
            "corrigé|corrigée|corrigés|réparé|résolu|résolue|fait|terminé|terminée|achevé|"
            "implémenté|implémentée|ajouté|ajoutée|créé|créée|livré|publié|déployé|progrès|"
            "avancement|changements récents|modifications récentes|modifications|changements|"
            "résultat|résultats|solution|mise en œuvre|ce qui fonctionne|tâches terminées|"
            "mis à jour|réalisations|migré|supprimé|amélioré|dernières modifications"
        ),
        "blocker": "bloqué|bloquée|blocage|blocages|bloqué par|bloquant|bloquants|en attente de",
        "assumption": "hypothèse|hypothèses|supposition|suppositions|supposé|on suppose",
        "experience": "expérience|expériences",
        "goal": "objectif|objectifs|objectif du projet|but|finalité",
        "todo": "à faire|tâche|tâches|reste à faire|tâches en cours",
        "relation": "relations|relation",
        "note": "note|notes|remarque|remarques",
    },
    "pt": {
        "decision": (
            "decidido|decisão|decisões|decidimos|escolhido|escolhemos|escolha|escolhas|"
            "registro de decisões|registo de decisões|decisões importantes|decisões tomadas|"
            "decisões técnicas|decisões ativas|acordado"
        ),
        "rejected": (
            "rejeitado|rejeitada|rejeitados|descartado|descartada|descartados|decidido não|"
            "tentado|testado sem sucesso|abandonado|não funcionou|abordagens rejeitadas|"
            "abordagens descartadas|alternativas descartadas"
        ),
        "learning": (
            "aprendido|aprendizado|aprendizados|aprendizagem|aprendizagens|aprendemos|aprendi|"
            "lição|lições|lições aprendidas|lição aprendida|descoberto|descoberta|descobertas|"
            "conclusão|conclusões|causa raiz|padrão|padrões|importante|hoje aprendi|insights|"
            "boas práticas|padrões importantes"
        ),
        "gotcha": (
            "cuidado|atenção|aviso|avisos|armadilha|armadilhas|alerta|alertas|perigo|limitação|"
            "limitações|limitações conhecidas|caso extremo|casos extremos|risco|riscos|"
            "pegadinha|pegadinhas|advertência|erros comuns"
        ),
        "problem": (
            "problema|problemas|erro|falha|falhas|bug|bugs|defeito|problemas conhecidos|"
            "erros conhecidos|bugs conhecidos|problemas abertos"
        ),
        "progress": (
            "corrigido|corrigida|corrigidos|consertado|resolvido|feito|concluído|concluída|"
            "concluídos|terminado|implementado|implementada|adicionado|adicionada|criado|"
            "criada|entregue|publicado|progresso|avanços|mudanças recentes|alterações recentes|"
            "alterações|mudanças|resultado|resultados|solução|implementação|o que funciona|"
            "tarefas concluídas|atualizado|migrado|removido|melhorado|conquistas|"
            "últimas mudanças"
        ),
        "blocker": (
            "bloqueado|bloqueada|bloqueio|bloqueios|bloqueado por|impedimento|impedimentos|"
            "travado|aguardando"
        ),
        "assumption": (
            "suposição|suposições|pressuposto|pressupostos|premissa|premissas|hipótese|hipóteses"
        ),
        "experience": "experiência|experiências",
        "goal": "objetivo|objetivos|meta|metas|propósito|objectivo",
        "todo": "pendente|pendentes|a fazer|tarefa|tarefas|tarefas pendentes",
        "relation": "relações|relação",
        "note": "nota|notas|observação|observações",
    },
    "ru": {
        "decision": (
            "решено|решение|решения|решили|решил|решила|выбрано|выбрали|выбор|принято решение|"
            "принятые решения|принятое решение|ключевые решения|журнал решений|лог решений|"
            "архитектурные решения|технические решения|активные решения|договорились|"
            "важные решения|история решений"
        ),
        "rejected": (
            "отклонено|отвергнуто|отказались|отказались от|решили не|пробовали|попробовали|"
            "не сработало|отброшено|отклонённые подходы|отклоненные подходы|"
            "отвергнутые подходы|отвергнутые варианты|тупик|неудачные попытки|"
            "отклонённые варианты"
        ),
        "learning": (
            "узнал|узнали|узнала|узнано|выучено|урок|уроки|вывод|выводы|изучено|"
            "извлечённые уроки|извлеченные уроки|полученные уроки|инсайт|инсайты|обнаружено|"
            "обнаружили|выяснили|выяснилось|первопричина|причина|корневая причина|открытия|"
            "паттерн|паттерны|важные паттерны|важно|находки|знания|лучшие практики|"
            "усвоенные уроки|наблюдения|понимание|важные паттерны и предпочтения|предпочтения"
        ),
        "gotcha": (
            "осторожно|внимание|предупреждение|предупреждения|подводные камни|подводный камень|"
            "ловушка|ловушки|нюанс|нюансы|ограничение|ограничения|известные ограничения|грабли|"
            "риск|риски|тонкости|особенности|частые ошибки|не забыть|граничные случаи|"
            "крайние случаи"
        ),
        "problem": (
            "проблема|проблемы|ошибка|ошибки|баг|баги|неисправность|известные проблемы|"
            "известные ошибки|известные баги|открытые проблемы|текущие проблемы|сбой|сбои|"
            "технический долг"
        ),
        "progress": (
            "исправлено|исправил|исправили|исправление|исправления|починено|починили|сделано|"
            "готово|выполнено|завершено|завершили|реализовано|реализовали|добавлено|добавили|"
            "создано|создали|построено|выпущено|решена проблема|прогресс|последние изменения|"
            "недавние изменения|изменения|внесённые изменения|внесенные изменения|результат|"
            "результаты|реализация|что работает|что сделано|обновлено|обновили|"
            "выполненные задачи|завершённые задачи|завершенные задачи|достижения|удалено|"
            "достигнуто|улучшено|развёрнуто|перенесено|недавний прогресс|выполненная работа"
        ),
        "blocker": (
            "заблокировано|заблокирован|блокер|блокеры|блокировка|блокировки|застряли|застрял|"
            "ждём|ожидаем|препятствие|препятствия|блокирует"
        ),
        "assumption": (
            "предположение|предположения|допущение|допущения|гипотеза|гипотезы|предполагаем"
        ),
        "experience": "опыт",
        "goal": "цель|цели|задача проекта|назначение",
        "todo": "сделать|нужно сделать|к выполнению|осталось сделать|задачи|задача",
        "relation": "связи|связь|отношения",
        "note": "заметка|заметки|примечание|примечания",
    },
    "zh": {
        "decision": (
            "决定|決定|决策|決策|选择|選擇|选定|已决定|决策记录|決策記錄|决策日志|決策日誌|"
            "决议|确定|关键决策|技术决策|架构决策|重要决策|设计决策|技术选型|选型|设计决定|"
            "采用|方案选择|决策和考虑|重要决定|活跃决策"
        ),
        "rejected": (
            "拒绝|拒絕|否决|否決|放弃|放棄|弃用|尝试过|已放弃|行不通|决定不|不采用|已否决方案|"
            "放弃的方案|被拒绝的方案|失败的尝试|失败尝试|未采用方案|排除"
        ),
        "learning": (
            "学到|學到|学习|教训|教訓|经验教训|經驗教訓|经验|發現|发现|洞察|心得|结论|結論|"
            "根本原因|根因|要点|关键发现|收获|收穫|模式|重要模式|学习与洞察|学习心得|经验总结|"
            "知识点|最佳实践|学习和项目洞察|重要|原因|偏好|重要模式和偏好"
        ),
        "gotcha": (
            "注意|注意事项|警告|小心|陷阱|坑|踩坑|踩坑记录|避坑|常见陷阱|限制|已知限制|风险|"
            "風險|边界情况|易错点|常见错误|坑点|局限|特别注意"
        ),
        "problem": (
            "问题|問題|错误|錯誤|缺陷|故障|已知问题|已知問題|遇到的问题|当前问题|待解决问题|"
            "现存问题|技术债|技术债务|挑战"
        ),
        "progress": (
            "已修复|修复|修復|已解决|解决|解決|完成|已完成|实现|已实现|新增|添加|已添加|创建|"
            "进展|進展|进度|最近更改|最近变更|最近更新|近期变更|近期更改|最新变更|最近的变更|"
            "最近的更改|更新|变更|变更记录|结果|成果|实施|已完成任务|已完成工作|已完成功能|"
            "工作内容|解决方案|修改|优化|上线|发布|重构|最近完成|当前进展|完成情况|改进|"
            "变更日志|最近修改|成就"
        ),
        "blocker": "阻塞|受阻|阻碍|阻礙|阻塞项|阻塞问题|卡住|卡点|等待",
        "assumption": "假设|假設|前提|假定",
        "experience": "体验|體驗|经历",
        "goal": "目标|目標|项目目标|目的",
        "todo": "待办|待辦|待办事项|待做|未完成|待完成|代办",
        "relation": "关系|關係|关联",
        "note": "备注|備註|说明|笔记|備忘",
    },
    "ja": {
        "decision": (
            "決定|決定事項|決めた|決めたこと|決まったこと|選択|採用|採択|決定ログ|意思決定|"
            "意思決定ログ|意思決定記録|重要な決定|アクティブな決定事項|アクティブな決定|"
            "設計判断|技術選定|主要な決定|決定内容|方針|判断|設計決定|決定記録|重要な決定事項"
        ),
        "rejected": (
            "却下|不採用|見送り|断念|却下案|却下した案|却下した選択肢|試した|試したこと|"
            "うまくいかなかった|失敗した方法|失敗した試み|ボツ|廃案"
        ),
        "learning": (
            "学び|学んだ|学んだこと|学習|教訓|知見|気づき|発見|わかったこと|洞察|学びと洞察|"
            "根本原因|原因|結論|得られた知見|パターン|重要なパターン|重要なパターンと設定|重要|"
            "学習内容|学習事項|重要なパターンと好み|ベストプラクティス|分かったこと"
        ),
        "gotcha": (
            "注意|注意点|注意事項|警告|落とし穴|罠|ハマりどころ|ハマりポイント|はまりどころ|"
            "ハマった|制限|制約|制限事項|既知の制限|リスク|エッジケース|要注意|ハマった点|"
            "よくある間違い"
        ),
        "problem": (
            "問題|問題点|課題|不具合|バグ|エラー|障害|既知の問題|既知の不具合|既知の課題|"
            "現在の問題|未解決の問題|既知のバグ"
        ),
        "progress": (
            "修正|修正済み|修正した|解決|解決済み|完了|完了済み|実装|実装済み|対応|対応済み|"
            "追加|作成|進捗|進捗状況|最近の変更|最近の変更点|直近の変更|変更点|変更|変更内容|"
            "変更履歴|結果|成果|達成|完了したタスク|完了した作業|完了事項|動作するもの|"
            "機能しているもの|リリース|更新|更新内容|解決策|対策|最近の進捗|実装完了|改善|"
            "やったこと|実施内容"
        ),
        "blocker": "ブロッカー|ブロック|ブロック中|障壁|待ち|停止中|行き詰まり|阻害要因",
        "assumption": "仮定|前提|仮説|想定|前提条件",
        "experience": "経験|体験",
        "goal": "目標|ゴール|プロジェクト目標|目的",
        "todo": "やること|未対応|残タスク|未完了|タスク",
        "relation": "関係|関連",
        "note": "メモ|備考|補足|ノート",
    },
}
"""Words that stand before a colon, as a heading or a lead line, or head a table's column."""
