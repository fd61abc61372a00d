//! Arguments in, front end chosen, errors out with a message and an exit code.

use mendbench::cli::{self, Arguments, Failure};
use mendbench::{catalogue, config, harness, repair, runner, store, study, text, theme, tui};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    mendbench::sandbox::own::enter();
    let arguments = match Arguments::of_process() {
        Ok(arguments) => arguments,
        Err(error) => return ExitCode::from(cli::explain(&error)),
    };
    let result = match &arguments.command {
        Some(command) => cli::run(&arguments, command),
        None => workbench(&arguments),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(Failure { code, message }) => {
            cli::note(&message);
            ExitCode::from(code)
        }
    }
}

/// Opens the workbench.
fn workbench(arguments: &Arguments) -> Result<u8, Failure> {
    if arguments.json {
        return Err(Failure::usage(
            "--json belongs to a command; `mendbench tasks list --json` lists the tasks",
        ));
    }
    give_memory_back();
    let mut config = cli::configure(arguments)?;
    let filter = arguments.filter.clone().unwrap_or_default();
    mendbench::task::filter::Filter::parse(&filter)
        .map_err(|error| Failure::usage(format!("--filter: {error}")))?;
    if let Some(path) = &arguments.path
        && !path.exists()
        && let Some(near) = path.to_str().and_then(Arguments::nearest_command)
    {
        return Err(Failure::usage(format!(
            "there is no file, folder or command `{}`; did you mean `mendbench {near}`?",
            text::shown(path)
        )));
    }
    let catalogue = catalogue::open(&cli::request(arguments, arguments.path.as_ref()))?;
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "the workbench needs a terminal for its input and output; `mendbench tasks list` prints the tasks",
        ));
    }
    // Read against the keys in force, which go to the workbench next.
    let codebooks = config.codebooks().0.into_iter().map(|found| found.codebook).collect();
    let keymap = Arc::new(std::mem::take(&mut config.keymap));
    let (themes, broken) = config.themes();
    let (theme, depth) = choose_theme(arguments, &config, &themes)?;
    let unicode = match config.settings.get("unicode") {
        "auto" => tui::terminal::is_utf8(|name| std::env::var(name).ok()),
        value => value == "true",
    };
    let settings = &config.settings;
    let models = config.models();
    let beside = cli::request_beside(arguments, arguments.path.as_ref());
    let workspace = catalogue::workspace_for(&beside).ok().map(|found| found.folder.display().to_string());
    let setup = tui::app::Setup {
        origin: catalogue.origin().clone(),
        workspace,
        keymap,
        themes,
        theme,
        depth,
        unicode,
        filter,
        preview: settings.yes("preview"),
        choices: tui::app::choices(settings.get("layout"), settings.yes("wrap")),
        notice: models.as_ref().err().or(broken.first()).map(ToString::to_string),
        models: models.as_ref().map(model_choices).unwrap_or_default(),
        codebooks,
    };
    let harness = harness_maker(arguments, &config);
    let engine = engine_maker(arguments, &config);
    let bench = bench_maker(arguments, &config, catalogue.origin());
    let mouse = settings.yes("mouse");
    let ended = tui::run(tui::Start { setup, catalogue, harness, engine, bench, mouse })
        .map_err(|error| Failure { code: cli::INFRASTRUCTURE, message: error.to_string() })?;
    for message in ended.panics.iter().chain(&ended.lost) {
        cli::note(message);
    }
    Ok(if ended.lost.is_empty() { ended.code } else { cli::INFRASTRUCTURE })
}

/// Has large pieces of memory go back to the system when they are let go. By itself glibc keeps more and more of them
/// for later: while a long answer streamed, memory grew by 9 MB a minute, of which 7 were in no use.
fn give_memory_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const LARGE: libc::c_int = 256 << 10;
        // SAFETY: `mallopt` may be called at any time, and no other thread runs yet.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
            libc::mallopt(libc::M_TRIM_THRESHOLD, LARGE);
        }
    }
}

/// Makes the workbench's harness when the first test is asked for: opening the workbench tries no sandbox.
fn harness_maker(arguments: &Arguments, config: &config::Config) -> tui::runtime::verify::MakeHarness {
    let choice = harness::Choice::new(&config.settings, None, None, false);
    let folder = config.folder.clone();
    // A folder of tasks may bring a workspace along; verdicts are remembered in the user's own.
    let request = cli::request(arguments, None);
    Arc::new(move || {
        let choice = choice.clone()?;
        let configured = config::Config { folder: folder.clone(), ..config::Config::defaults() };
        let languages = configured.languages().map_err(|error| error.to_string())?;
        // Without a workspace verdicts are not remembered; nothing else is lost.
        let seal = harness::Seal::of_user().ok();
        let workspace = seal.as_ref().and_then(|_| catalogue::workspace_for(&request).ok());
        let store = workspace.and_then(|workspace| workspace.open_or_create().ok());
        let store = store.map(|store| Arc::new(store) as Arc<dyn store::Store>);
        // What takes long is seen as `preparing`: stderr belongs to the screen here.
        let ladders = harness::Ladders::new(choice, Box::new(|_| {}));
        let harness =
            harness::Harness::new(languages, Box::new(ladders), store, Arc::new(store::SystemClock));
        Ok(Arc::new(harness.sealed(seal.unwrap_or_default())))
    })
}

/// Models that the launch sheet offers: the user's, then those that are built in.
fn model_choices(models: &config::Models) -> Vec<tui::msg::repair::ModelChoice> {
    let of = |settings: &config::ModelSettings| tui::msg::repair::ModelChoice {
        name: settings.name.clone(),
        prices: settings.prices,
        is_free: false,
        max_tokens: settings.decoding.max_tokens.or(settings.max_output),
        remark: settings.address.host_str().unwrap_or_default().to_owned(),
    };
    let recorded = tui::msg::repair::ModelChoice {
        name: format!("{}last", runner::Models::RECORDED),
        prices: None,
        is_free: true,
        max_tokens: None,
        remark: "answers as the newest run did".to_owned(),
    };
    let template = tui::msg::repair::ModelChoice {
        name: repair::template::NAME.to_owned(),
        prices: None,
        is_free: true,
        max_tokens: None,
        remark: "a baseline: tries small changes, understands nothing".to_owned(),
    };
    models.iter().map(of).chain([template, recorded]).collect()
}

/// The store of a workspace, and whether it is on disk: to look at what there is where there is no workspace none is
/// made, and then there is nothing.
fn store_of(
    workspace: &store::Workspace,
    keeps: bool,
) -> Result<(Arc<dyn store::Store>, bool), store::StoreError> {
    let existing = if keeps { Some(workspace.open_or_create()?) } else { workspace.open_if_exists()? };
    Ok(match existing {
        Some(store) => (Arc::new(store), true),
        None => (Arc::new(store::MemoryStore::default()), false),
    })
}

/// The threads on which models are asked; a runtime may not be dropped where the workbench drops it.
struct Threads(Option<tokio::runtime::Runtime>);

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Makes the workbench's repair engine when the first run is asked for.
fn engine_maker(arguments: &Arguments, config: &config::Config) -> tui::runtime::repair::MakeEngine {
    let settings = config.settings.clone();
    let folder = config.folder.clone();
    let request = cli::request_beside(arguments, arguments.path.as_ref());
    let threads: std::sync::Mutex<Threads> = std::sync::Mutex::new(Threads(None));
    Arc::new(move |wish| {
        let said = |error: &dyn std::fmt::Display| error.to_string();
        let rung = wish.rung.map(|rung| rung.to_string());
        let choice = harness::Choice::new(&settings, rung.as_deref(), None, false)?;
        let configured = config::Config { folder: folder.clone(), ..config::Config::defaults() };
        let languages = configured.languages().map_err(|error| said(&error))?;
        let models = configured.models().map_err(|error| said(&error))?;
        let workspace = catalogue::workspace_for(&request).map_err(|error| said(&error))?;
        let (store, there) = store_of(&workspace, wish.keeps).map_err(|error| said(&error))?;
        let locks = workspace.database.parent().filter(|_| there).map(|folder| folder.join("locks"));
        let mut threads = threads.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if threads.0.is_none() {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .thread_name("models")
                .enable_all()
                .build()
                .map_err(|error| said(&error))?;
            threads.0 = Some(runtime);
        }
        let Some(runtime) = &threads.0 else { return Err("no threads could be made".to_owned()) };
        let assembly = runner::Assembly {
            choice,
            languages,
            models,
            templates: runner::templates(&configured)?,
            examples: Vec::new(),
            store,
            seal: harness::Seal::of_user().unwrap_or_default(),
            locks,
            handle: runtime.handle().clone(),
            say: Box::new(|_| {}),
        };
        Ok(Arc::new(assembly.engine()))
    })
}

/// Opens the workbench's studies when they are wanted first: those of the workspace in which runs are kept.
fn bench_maker(
    arguments: &Arguments,
    config: &config::Config,
    origin: &catalogue::Origin,
) -> tui::runtime::study::MakeBench {
    // The study is about the sample tasks: beside other tasks it would be taken for one's own.
    let with_samples = *origin == catalogue::Origin::samples();
    let request = cli::request_beside(arguments, arguments.path.as_ref());
    let name = arguments.identity.of(config).map_err(|failure| failure.message);
    Arc::new(move |keeps| {
        let workspace = catalogue::workspace_for(&request).map_err(|error| error.to_string())?;
        let (store, _) = store_of(&workspace, keeps).map_err(|error| error.to_string())?;
        let studies = study::Studies::new(store);
        let samples = match with_samples {
            true => catalogue::sample_studies().map_err(|error| error.to_string())?,
            false => Vec::new(),
        };
        let samples = samples.into_iter().map(|(_, store)| study::Studies::new(store)).collect();
        Ok(tui::runtime::study::Bench { studies, name: name.clone().unwrap_or_default(), samples })
    })
}

/// The theme to start with; the terminal is asked whether it is dark only where that decides something.
fn choose_theme(
    arguments: &Arguments,
    config: &config::Config,
    themes: &[theme::Theme],
) -> Result<(usize, theme::ColourDepth), Failure> {
    let variable = |name: &str| std::env::var(name).ok();
    let mut surroundings = cli::surroundings(arguments, config);
    if theme::choose(&surroundings).appearance_matters {
        surroundings.appearance = tui::terminal::ask_background()
            .map(|background| match background {
                tui::terminal::Background::Dark => theme::Appearance::Dark,
                tui::terminal::Background::Light => theme::Appearance::Light,
            })
            .or_else(|| variable("COLORFGBG").and_then(|value| theme::Appearance::from_colorfgbg(&value)));
    }
    let choice = theme::choose(&surroundings);
    Ok((cli::theme_named(themes, &choice.theme)?, choice.depth))
}
