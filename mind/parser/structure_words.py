"""The words that give a memory file its structure: fields of a record, and what is no memory."""

from collections.abc import Mapping

FIELDS: Mapping[str, str] = {
    "why": (
        "why|rationale|reason|reasoning|reasons|because|justification|motivation|trade-offs|"
        "considerations|background|pros|cons|evidence|explanation|warum|begründung|begruendung|"
        "grund|gründe|pourquoi|raison|justificación|justificacion|razón|razones|razonamiento|"
        "motivo|motivos|por qué|porquê|justificativa|razão|обоснование|почему|причина|причины|"
        "мотивация|аргументы|理由|原因|依据|依據|根拠|背景|考虑|考量|为什么|決定理由|决策理由|"
        "选择理由"
    ),
    "what": (
        "what|choice|decision|decided|chosen|summary|title|description|pattern|learning|lesson|"
        "insight|entscheidung|was|zusammenfassung|beschreibung|décision|quoi|résumé|choix|"
        "decisión|qué|resumen|descripción|decisão|o que|resumo|descrição|решение|суть|описание|"
        "что|выбор|итог|принятое решение|决定|決定|决策|内容|描述|摘要|概要|決定内容|説明|什么|"
        "选择|結論|结论|solution chosen|selected option|chosen option|approach|ansatz|подход|"
        "方案|方法|issue|problem|symptom|symptoms|bug|error|mistake|correct|incorrect|rule|"
        "takeaway|lessons|key insight|key takeaway|symptome|problema|problème|problemstellung|"
        "проблема|симптом|问题|問題|症状|现象|現象|урок|вывод|教训|教訓|lektion|erkenntnis|"
        "leçon|lección|lição"
    ),
    "context": (
        "context|details|detail|notes|note|situation|kontext|hintergrund|contexte|contexto|"
        "antecedentes|контекст|детали|подробности|предыстория|上下文|背景信息|详情|詳細|"
        "コンテキスト|状況|cause|root cause|source of error|what happened|ursache|causa|"
        "cause racine|causa raíz|причины|первопричина|根本原因|environment|reproduction|"
        "example|examples|trigger|error message|beispiel|ejemplo|exemple|exemplo|пример|例|"
        "示例|background context|befund|observation|analysis|analyse|análisis|анализ|分析|"
        "evidence found|investigation|diagnosis|current state|wann|when|where|how|wo|wie|dónde|"
        "cómo|où|comment|где|как|когда|location|scope|affected|applies to|area|where found|"
        "discovered|how found"
    ),
    "impact": (
        "impact|consequences|consequence|implementation|implementation details|"
        "implementation notes|implications|implication|result|results|outcome|effects|effect|"
        "benefits|benefit|drawbacks|advantages|disadvantages|trade-off|tradeoffs|auswirkung|"
        "auswirkungen|konsequenzen|folgen|umsetzung|implementierung|conséquences|mise en œuvre|"
        "implémentation|impacto|consecuencias|implementación|detalles de implementación|"
        "consequências|implementação|detalhes de implementação|последствия|влияние|реализация|"
        "детали реализации|результат|результаты|эффект|影响|影響|后果|实施|实现细节|实施细节|"
        "实现|实现方式|実装|実装詳細|実装の詳細|実装内容|結果|結果と影響|细节|performance|"
        "files|files changed|changes|changed|changes made|affected files|related files|"
        "modified files|dateien|geänderte dateien|fichiers|archivos|arquivos|файлы|"
        "изменённые файлы|измененные файлы|文件|相关文件|関連ファイル|verification|validation|"
        "testing|tests|test|proof|next steps|follow-up|future|re-visit-trigger|revisit|"
        "revisit when|migrate when|review date|rule applied|details of implementation|"
        "detail der umsetzung|technische details|technical details|migration path|usage|"
        "action items|best practice|benefit achieved|positive|negative|neutral|преимущества|"
        "недостатки|плюсы|минусы|优点|缺点|メリット|デメリット|vorteile|nachteile|avantages|"
        "inconvénients|ventajas|desventajas|vantagens|desvantagens|beneficios|benefícios"
    ),
    "alternatives": (
        "alternatives|alternatives considered|alternative|alternatives rejected|options|"
        "options considered|considered options|considered alternatives|rejected alternatives|"
        "instead of|other options|alternativen|erwogene alternativen|alternativen erwogen|"
        "optionen|alternatives considérées|alternatives envisagées|options envisagées|"
        "alternativas|alternativas consideradas|opciones|opções|альтернативы|"
        "рассмотренные альтернативы|рассматриваемые альтернативы|варианты|"
        "рассмотренные варианты|отклонённые альтернативы|替代方案|备选方案|候选方案|其他方案|"
        "代替案|代替手段|検討した代替案|選択肢|検討した選択肢|被考虑的方案|考虑的方案"
    ),
    "fix": (
        "fix|fixed|workaround|solution|resolution|action|suggested action|suggested fix|"
        "mitigation|remedy|prevention|how to avoid|avoid|do|do instead|instead|"
        "correct approach|correct way|recommendation|fix applied|remediation|next time|"
        "rule for next time|how to fix|lösung|umgehung|behebung|maßnahme|gegenmaßnahme|abhilfe|"
        "solution de contournement|contournement|correction|corrección|solución|"
        "solución temporal|acción|acción sugerida|mitigación|solução|correção|contorno|ação|"
        "mitigação|исправление|обходной путь|как исправить|действие|действия|предотвращение|"
        "解决|解決|解决方案|解决办法|解决方法|修复|修復|规避|对策|対策|対処|解決策|回避策|対処法|修正|"
        "应对|处理|建议|推荐做法|action taken|apply|how to apply|verwendung"
    ),
    "date": (
        "date|datum|fecha|data|дата|日期|日付|logged|created|updated|last updated|time|"
        "timestamp|when decided|decided on|date decided|last-seen|first-seen|resolved on|added|"
        "decision date|entdeckt am|时间|時間|日時|updated at|erstellt|aktualisiert"
    ),
    "status": ("status|state|estado|statut|état|статус|состояние|状态|狀態|ステータス|状態|stand"),
    "meta": (
        "metadata|priority|area|source|tags|tag|author|owner|by|who|decided by|participants|"
        "see also|related|references|reference|links|link|pr|commit|commits|version|severity|"
        "confidence|category|type|id|ticket|recurrence-count|pattern-key|promoted|promoted to|"
        "supersedes|superseded by|replaces|deciders|stakeholders|kategorie|priorität|quelle|"
        "autor|verweise|etiquetas|prioridad|prioridade|auteur|priorité|приоритет|автор|теги|"
        "ссылки|категория|область|优先级|作者|标签|优先順位|作成者|関連|相关|参考|参照|タグ|"
        "schlagworte|метаданные|元数据|メタデータ|skill|skill-path|reproducible|frequency|"
        "effort|cost|risk|complexity|session|slice|url|file|datei|archivo|fichier|arquivo|файл|"
        "ファイル|estimated time|phase|epic|issue link|detected by|reported by|environment info"
    ),
}
"""Labels of the lines and sub-headings that belong to a record, by what they say."""

SILENT = (
    "current goals|immediate goals|short-term goals|long-term goals|sprint goals|session goals|"
    "today's goals|next goals|stretch goals|next step|next steps|next action|next actions|"
    "next up|upcoming|roadmap|future|future work|future ideas|future idea|planned|plan|plans|"
    "planning|phase|phases|backlog|current focus|current work focus|focus|overview|"
    "introduction|summary of files|architecture|tech stack|technology stack|stack|technologies|"
    "dependencies|setup|set-up|installation|install|usage|commands|command|quick start|"
    "quickstart|quick reference|getting started|file|files|file structure|project structure|"
    "directory structure|structure|codebase|key files|files changed|files modified|"
    "modified files|created files|migrated files|folder|folders|references|reference|links|"
    "resources|see also|metadata|meta|table of contents|contents|checklist|procedure|"
    "procedures|steps|how to|workflow|workflows|process|protocol|template|templates|format|"
    "how to use|open questions|questions|open question|timeline|schedule|exit criteria|"
    "success criteria|acceptance criteria|criteria|requirements|development|environment|"
    "configuration|config|api|endpoints|schema|data model|glossary|what's left|"
    "what's left to build|left to build|remaining work|in progress|ongoing|wip|doing|"
    "current status|current state|current task|current tasks|status|pending|components|team|"
    "contacts|budget|cost|costs|metrics|statistics|stats|testing|tests|test plan|deployment|"
    "build|build and test|code style|style guide|conventions|vision|project vision|scope|"
    "out of scope|context|technical context|product context|about|description|details|examples|"
    "example|documentation|docs|features|user stories|acceptance|index|legend|instructions|"
    "guidelines|guide|maintenance|archive|sources|final stats|test strategy|test structure|"
    "before|after|error handling|instead use|exact words|error codes|not started|bug tracking|"
    "issue tracking|decision process|decision criteria|decision tree|when to log|"
    "error message format|progress tracking|working on|active work|current work|considering|"
    "under consideration|ideas|possible improvements|planned improvements|future improvements|"
    "future enhancements|improvement ideas|pending decisions|decisions pending|open decisions|"
    "decisions to make|decisions needed|nächste schritte|aktueller fokus|offene fragen|geplant|"
    "planung|übersicht|architektur|projektstruktur|dateien|aktueller stand|ausblick|zweck|"
    "kategorien|einrichtung|befehle|prochaines étapes|étapes suivantes|questions ouvertes|"
    "feuille de route|focus actuel|aperçu|fichiers|à venir|commandes|état actuel|"
    "próximos pasos|siguientes pasos|enfoque actual|foco actual|preguntas abiertas|resumen|"
    "estructura|archivos|planificado|hoja de ruta|estado actual|comandos|arquitectura|"
    "próximos passos|foco atual|questões em aberto|perguntas em aberto|visão geral|estrutura|"
    "arquivos|estado atual|roteiro|planejado|arquitetura|следующие шаги|дальнейшие шаги|"
    "текущий фокус|текущая работа|открытые вопросы|планы|план|обзор|архитектура|структура|"
    "структура проекта|файлы|дорожная карта|текущее состояние|текущий статус|что осталось|"
    "осталось|команды|установка|в работе|в процессе|текущая задача|текущие задачи|"
    "текущий контекст|下一步|后续步骤|后续计划|下一步计划|计划|当前焦点|当前重点|当前工作|"
    "当前工作重点|工作重点|开放问题|概述|概览|架构|项目结构|文件|文件结构|路线图|当前状态|"
    "剩余工作|待构建内容|进行中|命令|技术栈|正在进行|未来计划|次のステップ|現在のフォーカス|"
    "今後の予定|今後の課題|今後|未解決の質問|概要|アーキテクチャ|構成|ファイル|ファイル構成|"
    "ロードマップ|現在の状態|現状|残りの作業|進行中|コマンド|計画|予定|次の作業|現在の作業|"
    "現在の焦点|未決事項|検討中"
)
"""Titles under which plans, procedures, lists and descriptions stand: no memories by themselves."""

STATE = (
    "project state|project status|state|projektstatus|estado del proyecto|état du projet|"
    "estado do projeto|состояние проекта|项目状态|プロジェクトの状態|プロジェクト状態"
)
"""Titles of the list that says what the project is about and where it stands."""

LOG = (
    "session log|session|sessions|log|journal|diary|memory|memories|history|notes|sitzung|"
    "sitzungsprotokoll|tagebuch|sesión|registro|registro de sesiones|journal de session|sessão|"
    "журнал|сессия|журнал сессий|лог|会话日志|会话|日志|セッションログ|セッション|ログ|"
    "daily log|continued|cont|later|part|morning|evening|afternoon|update|updates|work log|"
    "worklog|dev log|devlog|changelog entries|today|yesterday|heute|hoy|hoje|aujourd'hui|"
    "сегодня|今天|今日"
)
"""Titles under which the days and sessions of a diary stand."""

TEMPLATE = "template|vorlage|plantilla|modèle|modelo|шаблон|模板|テンプレート|boilerplate"
"""Words of a title under which a blank form stands."""

NOUNS = (
    "decisions|learnings|lessons|gotchas|pitfalls|caveats|findings|insights|discoveries|"
    "takeaways|warnings|blockers|assumptions|bugs|quirks|footguns|entscheidungen|erkenntnisse|"
    "stolperfallen|fallstricke|lektionen|annahmen|decisiones|aprendizajes|lecciones|trampas|"
    "advertencias|suposiciones|hallazgos|décisions|leçons|pièges|apprentissages|hypothèses|"
    "découvertes|decisões|lições|armadilhas|aprendizados|suposições|descobertas|решения|уроки|"
    "выводы|грабли|инсайты|предположения|проблемы|ошибки"
)
"""Plural nouns that name a section by themselves, whatever else the title says."""

COMPOUNDS = (
    "entscheidungen|erkenntnisse|stolperfallen|決定事項|決定|决定|決策|决策|教训|教訓|学び|知見|洞察|"
    "踩坑|陷阱|落とし穴|注意事项|注意事項|注意点|已知问题|既知の問題|遇到的问题|变更|変更|更改|进展|進捗|完了"
)
"""The same within a compound word or a title without spaces."""

PENDING = "待|未|下一步|计划|計画|予定|今後|次の|开放|流程|プロセス|手順|方法|步骤"
"""What takes a title without spaces out of the memories: plans and procedures."""

EMPTY = (
    "none|n/a|na|nil|nothing|nothing yet|none yet|none so far|tbd|tba|todo|-|--|—|...|…|?|"
    "empty|null|no|unknown|not yet|not set|none currently|no blockers|no blocker|no issues|"
    "no known issues|pending|not started|none at this time|none known|keine|keiner|kein|nichts|"
    "ninguno|ninguna|nada|nada todavía|aucun|aucune|rien|nenhum|nenhuma|нет|ничего|отсутствует|"
    "отсутствуют|пока нет|无|無|没有|暂无|なし|特になし|無し|未定|(none)|no changes|unchanged|"
    "変更なし|无变化|ohne|без изменений|sin cambios|sem alterações|inchangé|unverändert"
)
"""What is written into a field that holds nothing."""

QUALIFIERS = (
    "key|main|final|important|critical|new|also|major|minor|quick|big|open|current|known|the|"
    "our|my|technical|tech|design|architecture|architectural|latest|recent|recently|active|"
    "project|common|strategic|product|process|potential|possible|notable|general|other|more|"
    "additional|top|first|second|third|next|last|significant|previous|past|early|real|actual|"
    "core|initial|some|all|these|those|team|personal|interesting|useful|hard|harsh|api|"
    "database|ui|ux|backend|frontend|security|performance|deployment|testing|today's|session|"
    "user|development|implementation|engineering|strategy|business|big-picture|confirmed|"
    "existing|remaining|unresolved|outstanding|unexpected|surprising|hidden|platform|"
    "environment|made|log|taken|list|so|far|summary|history|section|wichtige|wichtigste|neue|"
    "aktuelle|bekannte|offene|technische|letzte|weitere|getroffene|zentrale|clave|importantes|"
    "importante|técnicas|técnicos|principales|recientes|conocidos|clés|récentes|techniques|"
    "importants|tomadas|prises|connus|recentes|principais|ativas|activas|actives|aktive|"
    "ключевые|важные|новые|основные|последние|недавние|главные|текущие|известные|технические|"
    "принятые|активные|and|considerations|und|et|y|e|и|соображения|consideraciones|"
    "considérations|überlegungen|considerações|note"
)
"""Words that may stand around a label without changing what it announces."""

NOT_TITLES = (
    "implementation|implemented|result|results|key|important|feature|feat|rule|rules|purpose|"
    "solution|note|notes|tip|tips|info|fyi|nb|misc|knowledge|changed|agreed|resolution|choice|"
    "attention|risk|found|error|complete|mission|tried|fix|goal|constraints|реализация|"
    "implementación|implementação|umsetzung|mise en œuvre|实施|实现|実装|hinweis|hinweise|"
    "важно|重要|原因|причина|判断|方針|选择|選択|确定|等待|更新|修改|追加|作成|задача|задачи|"
    "wichtig|importante|解决方案|解决|確定|前提|solución|solução|lösung|ursache|说明|результат|"
    "результаты|resultado|resultados|ergebnis|ergebnisse|résultat|résultats|aufgabe|aufgaben|"
    "tarea|tarefa|tâche|tâches|feedback|preference|preferences|user preferences|objective|"
    "objectives|objetivo|objetivos|ziel|ziele|objectif|objectifs|цель|цели|目标|目的|目標|"
    "ゴール|observation|observations"
)
"""Labels that announce a line, but are too common as a heading to speak for a whole section."""

DECIDING = (
    "decision|decided|choice|entscheidung|décision|decisión|decisão|решение|принятое решение|"
    "决定|決定|决策|決定内容"
)
"""Labels of a field that tell a decision by themselves."""

FAILING = (
    "symptom|symptoms|problem|bug|error|issue|symptome|problema|problème|проблема|симптом|"
    "ошибка|问题|問題|症状|fehler|erreur|erro|現象|现象"
)
"""Labels of a field that tell a problem by themselves."""

GENERIC = (
    "correction|learning|lesson|insight|best_practice|best practice|knowledge_gap|"
    "knowledge gap|error|decision|feature_request|pattern|gotcha|bug|issue|note|entscheidung|"
    "решение|决定|決定|recurring_pattern|recurring pattern|simplify-and-harden|user_feedback|"
    "feedback|décision|decisión|decisão|convention|tool_gotcha|workflow"
)
"""Titles of records that say nothing by themselves."""

FOLDED = (
    "implemented|implementation|implementación|implementado|implementiert|umsetzung|"
    "mise en œuvre|implémenté|implementação|реализация|реализовано|实现|实施|实装|実装"
)
"""Lead lines whose list is one entry together."""
