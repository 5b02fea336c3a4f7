"""Every sentence of the workbench, by the part of the screen that shows it: messages, questions, hints, help.

Labels of a few words stand where they are shown. Labels and keys of actions are in `actions`, settings in
`setting_names`. Voice: plain English, short, active; an error says what happened and what to do; a key stands
before what it does: `u undo`.
"""

from __future__ import annotations

# -- app -------------------------------------------------------------------------------------------

FILE_OPENED = "{program} opens {file}{place}."
CANNOT_LEAVE = "This terminal cannot be handed to your editor."
HOW_TO_QUIT = "{key} quits ark-tui."

KEY_UNDO, KEY_REDO = "{key} undo", "{key} redo"

# -- conversations ---------------------------------------------------------------------------------

NO_MESSAGE_MATCHES = "No messages for “{words}”. esc show all conversations."
MESSAGE_CUT = "\n… {more}; copying the message copies all of it"
NO_CONVERSATIONS = "No conversations yet. Messages that assistants and programs store appear here."
FIND_MESSAGES_HINT = "Words, a “phrase”, -without, after:2026-01. All conversations are searched."
COPY_CONVERSATION_ID = "the id of the conversation"
NO_CONVERSATION_SELECTED = "No conversation is selected."
DELETE_MESSAGES = "{messages} are deleted for good."
DELETE_CONVERSATION = "Delete {name}? There is no undo."
CONVERSATION_DELETED = "Deleted the conversation {name} with {messages}."

# -- curating --------------------------------------------------------------------------------------

NOT_A_MEMORY = "This is not a memory. Edit the document instead."
CORRECT_HINT = "The old text is retired."
CORRECTED = "Corrected: #{new} replaces #{old}, which is retired."
NOT_A_MEMORY_TO_FORGET = "{title} is not a memory. To delete a document, move it to the trash and empty that."
FORGET_DELETES = "This is deleted for good and cannot be undone:"
FORGET_KEEPS = "Not deleted, although the text is the same: {memories}"
FORGET_IN_BACKUPS = "Still in {backups} until you delete those."
FORGOTTEN = "Deleted {memories} for good."
ASK_TAG_NAME = "New name for the tag {tag}"
TAG_NAME_HINT = "An existing name merges both tags."
ASK_WHICH_TAG = "Which tag do you want to rename?"
TRASH_IS_SAFE = "No file is touched. {key} undo."
ASK_TRASH = "Move {documents} to the trash?"
DOES_TRASH = "move to trash"
DOES_CHOOSE = "choose"
ASK_RELATION = "How are they related?"
ASK_SUPERSEDES = "Which document supersedes {documents}?"
NO_DOCUMENT_SELECTED = "No document is selected."

# -- panes/document keys

DOCUMENT_LOADING = "The document is still loading."
NO_MATCH_IN_DOCUMENT = "No word of the query is in this document. It was found by its meaning."
COPY_WITH_SOURCE = "{title} with its source"
COPY_PATH = "the path"
NO_FILE_TO_EDIT = "This document was added as text. It has no file to edit."
NO_DOCUMENT_OPEN = "No document is open."

# -- library ---------------------------------------------------------------------------------------

VIEW_SKIPPED = "Skipped"
HELP_LIBRARY = (
    "Everything that is indexed, and every file that is not, with the reason. The arrow keys switch "
    "between the views."
)
TRASH_EMPTY_HINT = "The trash is empty. {key} move a document to the trash; its file is not touched."
UP_TO_DATE = "up to date"

# -- panes/library files

NO_FOLDER_SELECTED = "No folder is selected."
NO_FILE_SELECTED = "No file is selected."
FILE_IS_SKIPPED = "{path} is skipped: {reason}."
VECTORS_FOLLOW = "The file is indexed. Its vectors are computed in the background."
WHAT_INDEX_AGAIN = "Index files again"
FILE_IS_GONE = "The file no longer exists. Index its collection again to remove it."
WHAT_EDIT = "Edit files"
NO_PATH_SELECTED = "The selection has no path."
DOCUMENT_HAS_NO_FILE = "{title} has no file."
INDEXED_AGAIN, INDEXED_UNCHANGED = "Indexed {name} again.", "{name} has not changed."
FILE_NOT_READ = "{name} cannot be read: {reason}."
DONE_RENAMED = "renamed the collection {before} to {after}"
ASK_COLLECTION_NAME = "New name for {collection}"
COLLECTION_NAME_HINT = "Searches then find it with in: and this name."
COLLECTION_OF_TEXTS = "{collection} has no folder. {key} move its documents to the trash."
REMOVE_DOCUMENTS = "{documents} will no longer be found."
REMOVE_KEEPS_FILES = "The files in {folder} are not touched."
REMOVE_KEEPS_EDITS = "Your tags, links and judgments come back when you index the folder again."
REMOVE_IN_CONFIG = "If config.toml names the folder, the next `ark-tui index` indexes it again."
DONE_REMOVED = "removed the collection {collection} with {documents}"
ASK_REMOVE = "Remove the collection {collection}?"
TRASH_IS_EMPTY = "The trash is empty."
ASK_PURGE = "Empty the trash?"
DOES_PURGE = "delete for good"

# -- notebook --------------------------------------------------------------------------------------

SCRATCH_HINT = "The first word is the key, the rest is its value. Earlier values are kept."
TASK_HINT = "For example: call Ann #home due:next friday"
NO_SCRATCH = "No scratch notes yet. {add} add one."
NO_TASKS = "No tasks yet. {add} add one."
HELP_NOTEBOOK = "Scratch notes and tasks. Assistants with the same agent and session see them, too."
ASK_SCRATCH = "New scratch note"
EDIT_NOT_UTF8 = "The edited text is not UTF-8. {key} was not changed."
EDIT_NOT_UTF8_HINT = "Edit it again and save it as UTF-8."
EDIT_NO_FILE = "{key} cannot be opened in the editor: {reason}."
EDIT_NO_FILE_HINT = "Check the folder for temporary files, or set TMPDIR."
NOTHING_TO_UNDO = "There is nothing to undo."
UNDONE = "Undone: {what}."

# -- review ----------------------------------------------------------------------------------------

NO_CANDIDATES = (
    "Nothing to review. With a chat_model, memories are proposed from conversations every five "
    "minutes; `ark-tui memory consolidate` does it at once."
)
NOT_SUPPORTED = "  not supported by its sources"
WOULD_RETIRE = "  would be retired"
HELP_REVIEW = "Memories that a model proposes from conversations: accept, edit or reject them."
DONE_LATER = "Moved to the end"
DONE_EDITED = "Edited and accepted"
ASK_CANDIDATE_HINT = "It is accepted with this text."
DOES_MERGE = "merge"
ASK_SAME_MEMORY = "Which {kind} is the same?"
REVIEW_RETIRES = "\nIf you accept, it leaves searches and contexts; it is kept."
REVIEW_REPLACES = "It would replace"
REVIEW_ADDS = "It adds to"
REVIEW_NO_SOURCES = "\nNo source supports it."
REVIEW_SHARE = "; you accept {share:.0%} of its proposals"
REVIEW_PROPOSED = "{times}Proposed by {model}{share}."

# -- search ----------------------------------------------------------------------------------------

HELP_SEARCH = "Type a query. Results appear while you type, the best first."
NO_RESULTS_TO_RANK = "There are no results to rank. Search for something first."
NO_SEARCH_TO_SAVE = "There is no search to save. Type a query first."
NO_SEARCH_TO_EXPLAIN = "There is no search to explain. Type a query first."
NO_LOW_CONFIDENCE = "There are no low-confidence results."
SUPERSEDED_SHOWN, SUPERSEDED_HIDDEN = "Superseded documents are shown.", "Superseded documents are hidden."
NO_TERMS = "The search added no terms."
ASK_TERM = "Which term do you want to leave out or use again?"
DOES_SWITCH, TERM_USED, TERM_LEFT_OUT = "switch", "used", "left out"
NO_SUGGESTION = "There is no suggestion: every word of the query is known."

# -- searches --------------------------------------------------------------------------------------

NO_SEARCHES = "No searches yet. A search is logged when you press enter."
FIND_SEARCHES_HINT = "A part of the query, or the beginning of a retrieval id."
NO_SEARCH_MATCHES = "No searches for “{words}”. esc show all searches."
COMPARE_HINT = "{count} · {key} compare with today"
NO_ANSWERS_THEN = "It had no results."
THEN_AND_NOW = "Then and now"
COMPARING = "Running it again …"
NO_ANSWERS_NOW = "It still has no results."
NO_SEARCH_SELECTED = "No search is selected."
COPY_RETRIEVAL_ID = "the retrieval id {id}"
NO_CHANGES = "no changes"
NO_FILTERS = "only those of the query"

# -- settings --------------------------------------------------------------------------------------

PROFILE_CHOSEN = "Searches are now ranked by the profile {name}."
CONFIG_WRITTEN = "Wrote {path}: every setting with what it does."
CONFIG_UNCHANGED = "config.toml has not changed."
CONFIG_READ = "Read config.toml again."

# programs

EDITOR_UNREADABLE = "The editor setting {command!r} cannot be read: {reason}."
EDITOR_HINT = "Set $VISUAL or $EDITOR, or `editor` in config.toml."
NO_EDITOR = "No editor is set."
PROGRAM_NOT_STARTED = "{program} could not be started: {reason}."
VIEWER_HINT = "Set `viewer` in config.toml, for example: zathura -P {page} {file}"
VIEWER_UNREADABLE = "The viewer setting {command!r} cannot be read: {reason}."
NO_VIEWER = "No program is set that shows {file}."

# -- about -----------------------------------------------------------------------------------------

LINK_BROKEN = "no such document"
FACT_NO_FILE = "none: added as text"
STATE_STALE = "stale: the file changed after it was indexed"
STATE_AWAY = "away: its folder is not available"
STATE_TRASHED = "in the trash"

# -- dialogs ---------------------------------------------------------------------------------------

ADDRESS_NO_BROWSER = "No browser was found. Set $BROWSER to name one."
CHECKS_TITLE = "Checks of the home"
NO_NOTICES = "There are no messages yet."

# -- lab -------------------------------------------------------------------------------------------

HELP_LAB = (
    "Move the weights on the right; the results follow. Below: how well the ranking does on the "
    "queries you judged, and the change with its 95 % interval."
)
LAB_MEASURING = "Measuring on your judged queries …"
NO_RESULTS_HERE = "No results."
LAB_NO_JUDGMENTS = "No judged queries yet. Press {key} on a result to judge it. "
LAB_NO_JUDGMENTS_HINT = "Then nDCG@10, MRR and Hit@3 are shown here."
LAB_NOTHING_TO_SAVE = "There is nothing to save: no weight was moved."
LAB_SAVE_HINT = "It is written into config.toml, with its measures."
LAB_ASK_NAME = "Save as the profile"
LAB_SAVED = "Saved the profile {name}. {about}"
LAB_ASK_USE = "Rank all searches by {name}?"
LAB_USE_HINT = "This sets `profile`. You can change it in the settings."

# -- screens/long work

WHAT_INDEX = "Index folders"
NO_SAMPLE = "The sample notes are not part of this installation."
NO_JOB = "No job is running."
CHECK_FOLDERS = " {key} check the folders now."
SEE_LIBRARY = " {key} show the library with the reasons."

# -- note ------------------------------------------------------------------------------------------

NOTE_TITLE_HINT = "Title; if empty, the first words"
NOTE_KEYS = "{save} save · {close} keep the draft"
NOTE_TO_INBOX = "Saves a new Markdown file in {folder} · {key} save in the store"
NOTE_TO_STORE = "Saves in the store · {key} save in the inbox"
NOTE_NO_INBOX = "Saves in the store. Set `inbox` in config.toml to save notes as files."
DRAFT_KEPT = "Draft kept. {key} continue it."
NOTHING_TO_SAVE = "There is nothing to save yet."

# -- palette ---------------------------------------------------------------------------------------

PALETTE_HINT = "what do you want to do?"
DOES_RUN = "run"
THEME_ABOUT = "Use this color theme."
GROUP_ABOUT = "About this part"
KEY_ABOUT = "{help} In the keymap: {name}"

# -- queue -----------------------------------------------------------------------------------------

HELP_QUEUE = "Duplicates, contradictions, stale and untagged documents, one at a time. Press a key to decide."
QUEUE = "Curation queue"
QUEUE_LOADING = "Loading the queue …"
QUEUE_STALE = "Left: as indexed. Right: the file as it is now."
QUEUE_EMPTY = "Nothing to do."
QUEUE_TOMORROW = " {items} postponed until tomorrow."
QUEUE_ABOUT = "\n\nDuplicates, contradictions, stale files and untagged documents appear here.\n"
MERGE_TITLE = "Merge {documents}: ↑ ↓ choose which one stays"

# -- saved -----------------------------------------------------------------------------------------

SAVED_NEVER_RUN = "not run yet"
SAVED_SINCE = "Since {moment}: {moves}"
ASK_EDIT_SAVED = "Which saved search do you want to rename or delete?"

# -- think -----------------------------------------------------------------------------------------

NO_QUESTION = "Type a question above and press enter."
MODEL_READS = "{model} reads the sources"
SOURCES_SENT = ", which are sent to {host}"
ANSWER_STOPPED = "Stopped. Press enter in the line above to ask again."
NO_SOURCE = "There is no source {number}."
NO_ANSWER = "There is no answer to copy yet."
COPY_ANSWER = "the answer with its sources"
MODEL_STOPPED = "{model} was stopped before it answered"
ANSWER_GAPS = "\nNot in the sources"
ANSWER_DROPPED = "it cites texts that are not among the sources: {labels}"
ANSWER_LEFT_OUT = "it did not read {labels}: the context was full"
ANSWER_REMOTE = "it was written by {host}"
ANSWER_WITHOUT = "its sources were found without {signals}"
NO_ANSWER_WRITTEN = "No answer: {reason}."
SEARCHED_WITHOUT = "Searched without {signals}."
PASSAGES_FOUND = "The best passages for the question:\n"

# -- whynot ----------------------------------------------------------------------------------------

DOES_REMEDY = "do it"
WHY_NOT_RANK = " Then its rank is {rank:,}."
WHY_NOT_RANKS = "Rank by each signal, of {count:,} ranked: {ranks}"

# -- workbench -------------------------------------------------------------------------------------

ENLARGE = "Please enlarge the window: ark-tui needs 60 × 16."
ERASED = "Erased {texts} that an earlier run had left in the files."
DISCONNECTED = "{trouble}\nark-tui tries again by itself. What you typed stays."
CONNECTED = "Connected to {place} again."
LINKED_FILE = "{file} was not opened: its path leads through a link."
NOT_HERE = "Not possible here: {action}."
CHECKING = "Checking the home …"
ASK_EXPORT = "Export report to"

# -- keymap ----------------------------------------------------------------------------------------

NO_ACTION = "there is no action {name}{meant}"
KEY_UNKNOWN = "there is no key {key}; {action} does not get it."
KEY_IS_TEXT = "{action} cannot have {key}, which types text."
KEY_CLASH = "{key} is both {holder} and {other}: {holder} has it, {other} has {keys}."

# -- names -----------------------------------------------------------------------------------------

TIER_DOC = "not rated yet"
TIER_REFLECTION = "thought through, by you or an assistant"
RELATION_LINKS = "it mentions the other"
RELATION_BUILDS = "it continues the other"
RELATION_DERIVES = "it was made from the other"
RELATION_CONTRADICTS = "both cannot be right; the curation queue asks which one is"
RELATION_TENSIONS = "both may be right, but they do not fit well"
RELATION_SUPERSEDED = "the other replaces it; searches hide it"
RELATION_POST_MORTEM = "it tells how the other turned out"
PICK_HINT = "type to filter"
DOES_SELECT, DOES_OPEN, DOES_GO, DOES_FOLLOW = "select", "open", "go there", "follow"
PICK_EMPTY = "Nothing to choose from yet."
PICK_NO_MATCH = "No matches."
MEMORY_HINT = "words of the memory"
NO_MEMORIES = "There are no memories of this kind yet."
DOCUMENT_HINT = "title or path"
NO_TAGS = "There are no tags yet."
DOES_TAG = "apply · tab add another"
NO_TAGS_TYPE = "There are no tags yet. Type the first one."
NEW_TAG_ABOUT = "No document has it yet."
NO_FOLDER = "There is no such folder. Type its path; ~ is your home folder."
FILES_BELOW = "{more}{files} in it and below{names}"
FILES_ARE_SAFE = "{files}\nark-tui never writes to your files."

# -- noting ----------------------------------------------------------------------------------------

SCRATCH_INCOMPLETE = "A scratch note needs a key and a value."

# -- session ---------------------------------------------------------------------------------------

SESSION_LOST = "The next start will not return to where you were."
CHOICES_LOST = "Your choice is lost when you quit."
DRAFT_LOST = "Save the note before you quit."
FILE_UNREADABLE = "{path} cannot be read: {reason}. It is ignored."
FILE_DAMAGED = "{path} is damaged. It is ignored and written anew."
FILE_NOT_WRITTEN = "{path} cannot be written: {reason}."

# -- wording ---------------------------------------------------------------------------------------

NAME_HINT = "Start with a letter; then letters, digits, - _ or a dot. @name in the query line runs it."
WITH_SUPERSEDED = "with superseded documents"
WITH_MODEL_TERMS = "with terms from the chat model"
WITHOUT_MODEL_TERMS = "without terms from the chat model"
PURGE_LINKS = "{links} to {them} will lead nowhere."
PURGE_DELETES = (
    "This is deleted for good and cannot be undone: {documents}, {bytes:,} bytes of text with their vectors, "
    "{rows} of the search log, and your edits of them."
)
PURGE_KEEPS_FILES = "The files on disk are not touched. They are indexed again only when they change."
PURGE_REMAINS = "These may still contain the text until you delete them:"
PURGE_NO_BACKUP = "No backup of this home contains the text."
PURGE_STILL_IN = "These may still contain the text: {names}"

# -- breakdown -------------------------------------------------------------------------------------

HELP_DETAILS = (
    "Why this result ranks above the next one. Then each signal: what it measured (raw), the same "
    "within 0…1 (norm), the rank by this signal alone, its weight, and its share of the score. The "
    "shares add up to the sum; multipliers turn the sum into the score."
)
DETAILS_LOADING = " The other signals are loading."
CHANCE = "chance of an answer {percent}: {parts}"

# -- widgets/document lists

NO_DOCUMENT_MATCHES = "No documents match."
NO_DOCUMENTS = "There are no documents yet."

# -- empty -----------------------------------------------------------------------------------------

INDEX_SETTINGS_FOLDER = "index {folder} (from your settings) or another folder"
INDEX_YOUR_FOLDER = "index a folder of your own notes"
INDEX_SAMPLE = "index the sample notes"
SHOW_KEYS = "show the keys"
NOTHING_YET = "Nothing here yet"
NOTHING_YET_ABOUT = "Index a folder of notes, then search it. ark-tui never writes to your files."
TYPE_WORDS = "Type a few words: results come while you type."
SYNTAX_TAG = "with the tag; also in: path: tier: type:"
SYNTAX_WITHOUT = "without the word"
SYNTAX_PHRASE = "the words in this order"
SHOW_PALETTE = "find any action by name"
NO_COLLECTIONS = "No collections yet"
NO_COLLECTIONS_ABOUT = "Each folder that you index becomes a collection."
CLEAR_QUERY = "clear the query"
NO_DOCUMENT_HAS = "No document has {filters}."
TRY_OTHER_WORDS = "Try fewer or different words."
NO_RESULTS = "No results for “{query}”. {why}"
INDEX_ANOTHER = "index another folder"
NO_RELEVANT_TITLE = "No relevant results"
STILL_INDEXING_ABOUT = "{progress}. You can search what is indexed already."
STOP_INDEXING = "stop; finished work is kept"
SEARCH, SEARCHING, OPENING = "Search", "Searching …", "Opening …"
SEARCHING_ABOUT = "Results appear as soon as they are found."
OPENING_ABOUT = "Your search runs as soon as everything is loaded."
REPAIR = "check the home and repair it"

# -- reader ----------------------------------------------------------------------------------------

LEADS_NOWHERE = "leads nowhere"
HELP_READER = (
    "The selected document, as rendered or raw Markdown. The matching passage is marked at the edge, "
    "the matching words in the text. A link in italics leads to no document."
)
TITLE_GONE = " · no longer there"
NOT_MARKDOWN = "This is not Markdown. It is shown as it is."
NO_LINKS = "This document has no links."
NO_PICTURES = "Pictures are not shown in the terminal."
LINK_TO_NOTHING = "There is no document {target} yet."
NO_SUCH_HEADING = "This document has no heading “{heading}”."
NO_WAY_FORWARD = "There is nothing to go forward to."
NO_WAY_BACK = "There is nothing to go back to."
NO_HEADINGS = "This document has no headings."

# -- other parts -----------------------------------------------------------------------------------

NOTHING_TO_MEASURE = "There is nothing to measure yet."
HELP_ANALYSIS = "The shape of your notes: clusters, novelty, central documents, bridges and gaps."
MEASURE_NEEDS_DOCUMENTS = "{nothing} {index} index a folder, {sample} index the sample notes."
MEASURE_STOPPED = "Stopped. {key} compute it again."
FILTER_HINT = "words of title, path or #tags; ⏎ to the list"
COLLECTION_LEFT = "Showing all documents, no longer only those of {collection}."
HELP_HISTORY = "Conversations and searches of all agents and sessions, the latest first."
NOTHING_TO_COPY = "There is nothing to copy."
ASK_EXPECTED = "Which document did you expect?"
IN_TRASH_TITLE = "In the trash · {title}"
ADDRESS_NOT_OPENED = "Only web and mail addresses can be opened."
ADDRESS_NOT_OPENED_HINT = "Copy it and check it first."
BROWSER_HINT = "Set $BROWSER to another program."
NOTHING_CHANGED = "{error}; nothing was changed."
NOT_FROM_HERE = "{what} on {place}, where the home is. This is not possible from here."
EXPORT_HINT = "A file that ends in .md, .html, .json or .parquet. With a query, the report has its results."
EXPORTED = "Report written to {path}."
NO_SAVED = "No saved searches yet. {key} save the current search."
UNKNOWN_WORDS = "{words}: in no document   "
DID_YOU_MEAN = " · did you mean "
LIST_FAILED = "The list could not be read. {key} try again."
HELP_QUERY = (
    'Type words to search for. "a phrase" finds these words in this order; -word excludes a word; '
    "in:collection, tag:name, path:part, tier:wiki and type:note narrow the search."
)
HELP_RESULTS = (
    "The results, best first: title and score, the matching text, and where it is. The bar is the "
    "score: ━ from words, ═ from meaning, ┅ from context. ~ before a score: indexing is not finished,"
    " so it may change."
)
WEAK_ONLY = "weak matches only"
PROFILE_LOADING = "Loading the profile …"
FOLDER_MISSING = "  folder not found"
NO_SKIPPED = "Every file is searchable."
PARTIAL_RESULTS, ARE_PARTIAL = "Indexing: {done:,} of {total:,} {unit}{left}", ". Results are partial."
