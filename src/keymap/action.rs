//! Everything a key can do.
//!
//! Promises: a closed list; names are stable, because configuration files hold them; each action says in a
//! few words what it does, and shorter for the footer.
//! Leaves to others: which keys (`defaults`), doing it (`tui`).

/// Heading under which the help lists an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Moving about.
    Movement,
    /// What is shown and how.
    View,
    /// Choosing what is listed.
    Filter,
    /// To another screen.
    GoTo,
    /// With the task at hand.
    Task,
    /// With a repair run.
    Repair,
    /// With a study: labels, disagreements, rounds.
    Study,
    /// While text is typed.
    Typing,
    /// Everything else.
    General,
}

impl Group {
    /// All groups, in the order of the help.
    pub const ALL: [Group; 9] = [
        Group::Movement,
        Group::Task,
        Group::Repair,
        Group::Study,
        Group::View,
        Group::Filter,
        Group::GoTo,
        Group::Typing,
        Group::General,
    ];

    /// The heading.
    pub const fn title(self) -> &'static str {
        match self {
            Group::Movement => "Movement",
            Group::View => "View",
            Group::Filter => "Filter",
            Group::GoTo => "Go to",
            Group::Task => "Task",
            Group::Repair => "Repair",
            Group::Study => "Study",
            Group::Typing => "Typing",
            Group::General => "General",
        }
    }
}

macro_rules! actions {
    ($($variant:ident = $name:literal, $group:ident, $description:literal $(, $label:literal @ $priority:literal)?;)+) => {
        /// What a key does.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action {
            $(#[doc = $description] $variant,)+
        }

        impl Action {
            /// All actions.
            pub const ALL: &'static [Action] = &[$(Action::$variant,)+];

            /// The name used in configuration files.
            pub const fn name(self) -> &'static str {
                match self { $(Action::$variant => $name,)+ }
            }

            /// What it does, as one says it to a person.
            pub const fn description(self) -> &'static str {
                match self { $(Action::$variant => $description,)+ }
            }

            /// Heading in the help.
            pub const fn group(self) -> Group {
                match self { $(Action::$variant => Group::$group,)+ }
            }

            /// Label and rank in the footer, small ranks first; `None`: only in the help.
            pub const fn footer(self) -> Option<(&'static str, u8)> {
                match self { $(Action::$variant => actions!(@footer $($label, $priority)?),)+ }
            }

            /// The action with this name.
            pub fn parse(name: &str) -> Option<Action> {
                match name { $($name => Some(Action::$variant),)+ _ => None }
            }
        }
    };
    (@footer) => { None };
    (@footer $label:literal, $priority:literal) => { Some(($label, $priority)) };
}

actions! {
    CursorDown = "cursor_down", Movement, "Move down";
    CursorUp = "cursor_up", Movement, "Move up";
    HalfPageDown = "half_page_down", Movement, "Move down half a page";
    HalfPageUp = "half_page_up", Movement, "Move up half a page";
    PageDown = "page_down", Movement, "Move down a page";
    PageUp = "page_up", Movement, "Move up a page";
    First = "first", Movement, "Go to the start";
    Last = "last", Movement, "Go to the end";
    ScrollLeft = "scroll_left", Movement, "Scroll to the left";
    ScrollRight = "scroll_right", Movement, "Scroll to the right";
    ScrollHome = "scroll_home", Movement, "Scroll back to the first column";
    NextHunk = "next_hunk", Movement, "Go to the next change", "next change" @ 20;
    PreviousHunk = "previous_hunk", Movement, "Go to the previous change";
    NextGroup = "next_group", Movement, "Go to the next group";
    PreviousGroup = "previous_group", Movement, "Go to the previous group";
    NextMatch = "next_match", Movement, "Go to the next hit, change or failure";
    PreviousMatch = "previous_match", Movement, "Go to the previous hit, change or failure";
    NextFailure = "next_failure", Movement, "Go to the next test that failed", "next failure" @ 22;
    PreviousFailure = "previous_failure", Movement, "Go to the previous test that failed";
    NextMark = "next_mark", Movement, "Go to the next remark of a compiler or test", "next remark" @ 22;
    PreviousMark = "previous_mark", Movement, "Go to the previous remark of a compiler or test";

    Open = "open", Task, "Open the task", "open" @ 10;
    NextTask = "next_task", Task, "Show the next task", "next task" @ 40;
    PreviousTask = "previous_task", Task, "Show the previous task";
    TabNext = "tab_next", Task, "Show the next tab", "tabs" @ 30;
    TabPrevious = "tab_previous", Task, "Show the previous tab";
    Tab1 = "tab_1", Task, "Show the difference";
    Tab2 = "tab_2", Task, "Show the description";
    Tab3 = "tab_3", Task, "Show the tests";
    Tab4 = "tab_4", Task, "Show the context";
    Tab5 = "tab_5", Task, "Show where the task comes from";
    Tab6 = "tab_6", Task, "Show what was said about the task in studies";
    RunBuggy = "run_buggy", Task, "Test the buggy version; again: anew", "test buggy" @ 12;
    RunReference = "run_reference", Task, "Test the reference; again: anew", "test reference" @ 13;
    CancelRun = "cancel_run", Task, "Cancel what runs", "cancel" @ 5;
    ShowSpot = "show_spot", Task, "Show the line of the failure", "show line" @ 10;
    Copy = "copy", Task, "Copy what the cursor is on", "copy" @ 90;
    Launch = "launch", Repair, "Repair with a model", "repair" @ 24;
    LaunchAgain = "launch_again", Repair, "Repair as the last time, without asking";
    StartRun = "start_run", Repair, "Start the run", "start" @ 5;
    ValueNext = "value_next", Repair, "Take the next value", "change" @ 10;
    ValuePrevious = "value_previous", Repair, "Take the previous value";
    Pause = "pause", Repair, "Pause, or go on", "pause" @ 6;
    Step = "step", Repair, "Make one step, then pause", "step" @ 12;
    GiveFeedback = "give_feedback", Repair, "Give feedback in your own words", "give feedback" @ 14;
    EditCode = "edit_code", Repair, "Put your own code in the place of the answer's", "edit code" @ 26;
    NextTurn = "next_turn", Repair, "Show the next turn", "turns" @ 24;
    PreviousTurn = "previous_turn", Repair, "Show the previous turn";
    NextTrajectory = "next_trajectory", Repair, "Show the next trajectory of this session";
    PreviousTrajectory = "previous_trajectory", Repair, "Show the previous trajectory of this session";
    Play = "play", Repair, "Play it with its timing", "play" @ 8;
    Faster = "faster", Repair, "Play faster", "faster" @ 16;
    Slower = "slower", Repair, "Play slower", "slower" @ 17;
    CopyCommand = "copy_command", Task, "Copy the command that shows the same";
    Edit = "edit", Task, "Open in $EDITOR";

    PartKappas = "part_kappas", Study, "Show the kappa of each question";
    PartMatrix = "part_matrix", Study, "Show the matrix of a pair";
    PartCategories = "part_categories", Study, "Show each category and the relatives of kappa";
    PartRounds = "part_rounds", Study, "Show kappa over the rounds";
    PartPeople = "part_people", Study, "Show each annotator over time";
    NextQuestion = "next_question", Study, "Go to the next question or pair", "question" @ 32;
    PreviousQuestion = "previous_question", Study, "Go to the previous question or pair";
    NextRound = "next_round", Study, "Go to the next round of the study", "round" @ 34;
    PreviousRound = "previous_round", Study, "Go to the previous round of the study";
    ToggleBasis = "toggle_basis", Study, "Show blind or revised labels", "blind or revised" @ 14;
    ToggleShares = "toggle_shares", Study, "Shade by count or by share of the row", "shade" @ 36;
    LookLive = "look_live", Study, "Look at agreement while labelling is blind: it is written down", "look all the same" @ 8;
    ExportSheet = "export_sheet", Study, "Export labels and tables", "export" @ 33;
    GoToWork = "go_to_work", Study, "Go where your work in the round is", "open" @ 10;
    ShowDesk = "show_desk", Study, "Show the desk of the round", "desk" @ 16;
    NewRound = "new_round", Study, "Make a round", "new round" @ 14;
    AssignRound = "assign_round", Study, "Say who labels what in the round, with a look at what the seed gives", "assign" @ 12;
    WithdrawRound = "withdraw_round", Study, "Take back a round in which nobody has answered anything";
    AdvancePhase = "advance_phase", Study, "End the phase of the round", "end phase" @ 18;
    ShowMethods = "show_methods", Study, "Show the methods paragraph", "methods" @ 24;
    EnterCase = "enter_case", Study, "Go into the case; keep the answer that was chosen", "open" @ 10;
    TakeOther = "take_other", Study, "Take over the answer of the other", "other's" @ 11;
    KeepMine = "keep_mine", Study, "Stay with your own answer", "keep mine" @ 12;
    WriteNote = "write_note", Study, "Write a comment", "comment" @ 15;
    TypeAnswer = "type_answer", Study, "Type the answer", "type" @ 28;
    SendBack = "send_back", Study, "Send the item back to its annotators", "send back" @ 17;
    TakeBack = "take_back", Study, "Take the last answer or decision back, also that of the item before", "undo" @ 6;
    OpenItem = "open_item", Study, "Open the task of the item", "task" @ 42;
    NextCase = "next_case", Study, "Go to the next case that waits", "next" @ 13;
    PreviousCase = "previous_case", Study, "Go to the previous case that waits";
    AnswerNext = "answer_next", Study, "Move to the next answer";
    AnswerPrevious = "answer_previous", Study, "Move to the answer before";
    QuestionNext = "question_next", Study, "Go to the next question about the item";
    QuestionPrevious = "question_previous", Study, "Go to the question before";
    TakeAnswer = "take_answer", Study, "Take the answer under the cursor, confirm, type, or go on", "take" @ 8;
    ToggleAnswer = "toggle_answer", Study, "Take or drop the answer under the cursor where several can be right; else a page down";
    ExplainAnswer = "explain_answer", Study, "Show or hide definition and examples of the answer under the cursor", "explain" @ 7;
    SkipItem = "skip_item", Study, "Put the item aside, or take it up again", "skip" @ 9;
    FlagItem = "flag_item", Study, "Flag the item to be looked at again, or not any more", "flag" @ 11;
    NoteItem = "note_item", Study, "Write a note on the item", "note" @ 12;
    MoreSure = "more_sure", Study, "Be more sure of the next answers about the item";
    LessSure = "less_sure", Study, "Be less sure of them";
    ListItems = "list_items", Study, "List your items", "list" @ 13;
    NextOpen = "next_open", Study, "Go to the next item that wants an answer";
    NextFlagged = "next_flagged", Study, "Go to the next flagged item";
    NextNoted = "next_noted", Study, "Go to the next item with a note";
    NextStale = "next_stale", Study, "Go to the next item answered before the codebook changed";
    NextSkipped = "next_skipped", Study, "Go to the next item that was put aside";
    ShowChange = "show_change", Study, "Show the difference";
    ShowFile = "show_file", Study, "Show the whole file with the difference";
    ShowMessage = "show_message", Study, "Show the message or issue";
    ShowTests = "show_tests", Study, "Show the tests";
    ShowLog = "show_log", Study, "Show what the tests wrote";
    ShowContext = "show_context", Study, "Show the context";
    ShowFeedback = "show_feedback", Study, "Show the stored feedback";
    ShowGuide = "show_guide", Study, "Show the guide of the codebook";

    PreviewToggle = "preview_toggle", View, "Show or hide the preview", "preview" @ 50;
    PreviewDown = "preview_down", View, "Scroll the preview down";
    PreviewUp = "preview_up", View, "Scroll the preview up";
    GroupToggle = "group_toggle", View, "Fold or unfold the group", "fold" @ 60;
    Collapse = "collapse", View, "Fold the group";
    Expand = "expand", View, "Unfold the group";
    CollapseAll = "collapse_all", View, "Fold or unfold all groups";
    ToggleSideBySide = "toggle_side_by_side", View, "Switch between side by side and unified", "side by side" @ 50;
    ToggleWrap = "toggle_wrap", View, "Wrap long lines or not", "wrap" @ 70;
    ToggleWhitespace = "toggle_whitespace", View, "Let white space count or not", "white space" @ 80;
    ToggleOutput = "toggle_output", View, "Go to the output of the tests, and back", "output" @ 14;
    ChangeAgainst = "change_against", View, "Compare the change with the turn before or the buggy code", "compare" @ 18;
    ShowReference = "show_reference", View, "Compare with the reference: it counts as seen then";
    ShowPrompt = "show_prompt", View, "Show the exact prompt", "prompt" @ 20;
    ToggleReasoning = "toggle_reasoning", View, "Unfold or fold the reasoning";
    FoldToggle = "fold_toggle", View, "Fold or unfold the unchanged lines here", "fold" @ 60;
    FoldAll = "fold_all", View, "Fold or unfold all unchanged lines";
    AlgorithmNext = "algorithm_next", View, "Compare with the next algorithm";
    ThemeNext = "theme_next", View, "Take the next theme";

    Filter = "filter", Filter, "Filter the tasks", "filter" @ 20;
    ClearFilter = "clear_filter", Filter, "Clear the filter";
    Search = "search", Filter, "Search in the text", "search" @ 35;
    GroupByNext = "group_by_next", View, "Group the list by the next thing", "group" @ 45;
    SortNext = "sort_next", Filter, "Sort by the next column", "sort" @ 40;
    SortReverse = "sort_reverse", Filter, "Sort the other way round";

    GotoTasks = "goto_tasks", GoTo, "Go to the list of tasks";
    GotoTask = "goto_task", GoTo, "Go to the task opened last";
    GotoRepair = "goto_repair", GoTo, "Go to the repair shown last";
    GotoRuns = "goto_runs", GoTo, "Go to the list of runs";
    GotoAnnotate = "goto_annotate", GoTo, "Go to labelling";
    GotoDiscuss = "goto_discuss", GoTo, "Go to the disagreements: discussion and adjudication";
    GotoAgreement = "goto_agreement", GoTo, "Go to agreement (kappa)";
    GotoRounds = "goto_rounds", GoTo, "Go to the rounds of the studies";

    Accept = "accept", Typing, "Take what was typed or chosen", "done" @ 10;
    DeleteBack = "delete_back", Typing, "Delete the character before the cursor";
    DeleteForward = "delete_forward", Typing, "Delete the character under the cursor";
    DeleteWord = "delete_word", Typing, "Delete the word before the cursor";
    ClearInput = "clear_input", Typing, "Delete everything", "clear" @ 30;
    InputLeft = "input_left", Typing, "Move the cursor to the left";
    InputRight = "input_right", Typing, "Move the cursor to the right";
    InputStart = "input_start", Typing, "Move the cursor to the start";
    InputEnd = "input_end", Typing, "Move the cursor to the end";

    Help = "help", General, "Show what the keys do", "help" @ 25;
    Palette = "palette", General, "Find a command by name", "commands" @ 85;
    Back = "back", General, "Go back", "back" @ 45;
    Confirm = "confirm", General, "Yes", "yes" @ 10;
    Decline = "decline", General, "No", "no" @ 20;
    Quit = "quit", General, "Leave mendbench", "quit" @ 46;
    Reload = "reload", General, "Read the tasks anew";
    ShowSkipped = "show_skipped", General, "Show what was skipped while reading";
    Redraw = "redraw", General, "Draw the screen anew";
    ToggleMouse = "toggle_mouse", General, "Give the mouse to mendbench or to the terminal";
    Suspend = "suspend", General, "Suspend mendbench; `fg` brings it back";
}
