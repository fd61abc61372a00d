//! Tests of the room: the built-in themes as shipped, the format and its errors, quantising, escape sequences.

#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

fn none(_: &str) -> Option<Source> {
    None
}

fn source(text: &str) -> Source {
    Source { file: "mine.toml".to_owned(), text: text.to_owned() }
}

fn parse(text: &str) -> Result<Theme, ThemeError> {
    Theme::parse("mine", &source(text), &none)
}

fn built_in_themes() -> Vec<Theme> {
    let read =
        |(name, _): &(&str, &str)| Theme::parse(name, &Source::built_in(name).unwrap(), &none).unwrap();
    BUILT_IN.iter().map(read).collect()
}

#[test]
fn roles_have_one_name_each_and_stand_after_their_fallback() {
    for role in Role::ALL.iter().copied() {
        assert_eq!(Role::parse(role.name()), Some(role));
        assert!(!role.purpose().is_empty());
        if let Some(fallback) = role.fallback() {
            assert!((fallback as usize) < role as usize, "{} stands before its fallback", role.name());
        }
    }
    assert_eq!(Role::DiffAddedWord.fallback(), Some(Role::DiffAdded));
    assert_eq!(Role::SyntaxKeyword.fallback(), Some(Role::Syntax));
    assert_eq!(Role::Selection.fallback(), Some(Role::Text));
    assert_eq!(Role::Text.fallback(), None);
}

#[test]
fn text_of_the_built_in_themes_can_be_read() {
    for theme in built_in_themes() {
        let bad: Vec<String> = theme
            .low_contrast()
            .iter()
            .map(|low| {
                let on: Vec<_> = low.on.iter().map(|role| role.name()).collect();
                format!("{} on [{}]: {:.2}", low.text.name(), on.join(" "), low.ratio)
            })
            .collect();
        assert!(bad.is_empty(), "{}:\n{}", theme.name, bad.join("\n"));
    }
}

#[test]
fn with_256_colours_words_can_be_read_and_stand_out() {
    for theme in built_in_themes() {
        let theme = theme.quantise(ColourDepth::Ansi256);
        for low in theme.low_contrast() {
            assert!(low.ratio > 3.0, "{}: {} on {:?}: {}", theme.name, low.text.name(), low.on, low.ratio);
        }
        for (line, word) in [
            (Role::DiffAdded, Role::DiffAddedWord),
            (Role::DiffRemoved, Role::DiffRemovedWord),
            (Role::DiffChanged, Role::DiffChangedWord),
        ] {
            assert_ne!(theme.style(line), theme.style(word), "{}: {}", theme.name, word.name());
        }
        let rgb = |colour| matches!(colour, Some(Colour::Rgb(..)));
        assert!(!Role::ALL.iter().any(|role| rgb(theme.style(*role).fg) || rgb(theme.style(*role).bg)));
    }
}

#[test]
fn with_16_colours_no_background_is_left_and_signs_keep_their_colour() {
    for theme in built_in_themes() {
        let reduced = theme.quantise(ColourDepth::Ansi16);
        for role in Role::ALL.iter().copied() {
            let style = reduced.style(role);
            assert_eq!(style.bg, None, "{}: {}", theme.name, role.name());
            assert!(matches!(style.fg, None | Some(Colour::Default | Colour::Ansi(_))));
        }
        if theme.name == "mono" {
            continue;
        }
        assert_ne!(reduced.style(Role::DiffAdded).fg, reduced.style(Role::DiffRemoved).fg, "{}", theme.name);
        assert!(reduced.style(Role::Selection).reverse, "{}", theme.name);
        assert!(reduced.style(Role::DiffAddedWord).bold && reduced.style(Role::DiffAddedWord).underline);
    }
    let dark = Theme::built_in("dark").unwrap().quantise(ColourDepth::Ansi16);
    assert_eq!(dark.style(Role::DiffAdded).fg, Some(Colour::Ansi(10)));
    assert_eq!(dark.style(Role::DiffRemoved).fg, Some(Colour::Ansi(9)));
    assert!(dark.style(Role::TextDim).dim);
}

#[test]
fn without_colours_the_marks_stay() {
    for theme in built_in_themes() {
        let mono = theme.quantise(ColourDepth::None);
        for role in Role::ALL.iter().copied() {
            assert_eq!((mono.style(role).fg, mono.style(role).bg), (None, None), "{}", role.name());
        }
        for role in
            [Role::Selection, Role::MatchCurrent, Role::DiffAddedWord, Role::DiffRemovedWord, Role::Match]
        {
            let style = mono.style(role);
            assert!(style.reverse || style.bold || style.underline, "{}: {}", theme.name, role.name());
        }
    }
}

#[test]
fn the_coloured_themes_tell_new_from_gone_by_more_than_hue_names() {
    // Red-green blindness sees lightness and the blue-yellow axis: the colour-blind pair must differ there.
    for name in ["colourblind-dark", "colourblind-light"] {
        let theme = Theme::built_in(name).unwrap();
        let blueness = |role| match theme.style(role).bg {
            Some(Colour::Rgb(red, _, blue)) => i32::from(blue) - i32::from(red),
            other => panic!("{name}: {other:?}"),
        };
        for (added, removed) in
            [(Role::DiffAdded, Role::DiffRemoved), (Role::DiffAddedWord, Role::DiffRemovedWord)]
        {
            assert!(blueness(added) > 15 && blueness(removed) < -15, "{name}");
        }
    }
}

#[test]
fn the_three_ways_to_write_a_role_mean_the_same() {
    let ways = [
        "[roles]\n\"diff.added\" = { fg = \"#010203\", bold = true }",
        "[roles]\ndiff.added.fg = \"#010203\"\ndiff.added.bold = true",
        "[roles.diff.added]\nfg = \"#010203\"\nbold = true",
        "[palette]\nmoss = \"#010203\"\n[roles]\n\"diff.added\" = { fg = \"moss\", bold = true }",
    ];
    for text in ways {
        let style = parse(text).unwrap().style(Role::DiffAdded);
        assert_eq!(style, Style { fg: Some(Colour::Rgb(1, 2, 3)), bold: true, ..Style::PLAIN }, "{text}");
    }
}

#[test]
fn colours_are_written_in_several_ways() {
    let table = [
        ("\"#abc\"", Some(Colour::Rgb(0xaa, 0xbb, 0xcc))),
        ("\"#0a0B0c\"", Some(Colour::Rgb(10, 11, 12))),
        ("\"bright-red\"", Some(Colour::Ansi(9))),
        ("4", Some(Colour::Ansi(4))),
        ("238", Some(Colour::Indexed(238))),
        ("\"default\"", Some(Colour::Default)),
        ("\"none\"", None),
    ];
    for (written, colour) in table {
        assert_eq!(parse(&format!("[roles]\ntitle = {written}")).unwrap().style(Role::Title).fg, colour);
    }
}

#[test]
fn what_a_theme_leaves_out_falls_back() {
    let theme = parse("[roles]\ntext = \"#010101\"\n\"diff.added\" = \"#020202\"").unwrap();
    assert_eq!(theme.style(Role::DiffAddedWord).fg, Some(Colour::Rgb(2, 2, 2)));
    assert_eq!(theme.style(Role::SyntaxKeyword).fg, Some(Colour::Rgb(1, 1, 1)));
}

#[test]
fn a_theme_that_inherits_changes_fields_or_only_the_palette() {
    let dark = Theme::built_in("dark").unwrap();
    let theme =
        parse("inherits = \"dark\"\n[palette]\nsage = \"#00ff00\"\n[roles]\nselection.bold = true").unwrap();
    assert_eq!(theme.style(Role::StatusOk).fg, Some(Colour::Rgb(0, 255, 0)));
    assert_eq!(theme.style(Role::Selection), Style { bold: true, ..dark.style(Role::Selection) });
    assert_eq!(theme.background, dark.background);
    let quiet = parse("inherits = \"dark\"\n[roles]\n\"diff.added\" = { bg = \"none\" }").unwrap();
    assert_eq!(quiet.style(Role::DiffAdded).bg, None);
}

#[test]
fn a_user_theme_may_take_the_name_of_a_built_in_one() {
    let mine = "inherits = \"dark\"\n[roles]\ntitle = \"#010203\"";
    let theme = Theme::parse("dark", &source(mine), &|_| Some(source(mine))).unwrap();
    assert_eq!(theme.style(Role::Title).fg, Some(Colour::Rgb(1, 2, 3)));
}

#[test]
fn errors_name_file_line_key_and_the_nearest_name() {
    let table = [
        ("[roles]\ntitel = \"red\"", "mine.toml:2: `titel`: there is no such role; did you mean `title`?"),
        ("[roles]\n\"diff.aded\" = \"red\"", "did you mean `diff.added`?"),
        (
            "[roles]\ntext = \"red\"\nmatch.curent.bg = \"red\"",
            "mine.toml:3: `match.curent`: there is no such role",
        ),
        ("[roles]\ndiff.added.blod = true", "`diff.added.blod`: unknown key; did you mean `bold`?"),
        ("[palette]\nmoss = \"#12345\"", "mine.toml:2: `palette.moss`: `#12345` is no colour"),
        (
            "[palette]\nmoss = \"#123456\"\n[roles]\ntitle = \"mos\"",
            "mine.toml:4: `title`: `mos` is no colour",
        ),
        ("[palette]\nmoss = \"#123456\"\n[roles]\ntitle = \"mos\"", "did you mean `moss`?"),
        ("[roles]\ntitle = 256", "`256` is no colour"),
        ("[roles]\ntitle = true", "expected a colour, found a value of type boolean"),
        ("[roles]\ntitle = { bold = 1 }", "`title.bold`: expected true or false"),
        ("apearance = \"dark\"", "`apearance`: unknown key; did you mean `appearance`?"),
        ("appearance = \"dusk\"", "expected `dark`, `light` or `any`, found `dusk`"),
        ("background = \"red\"", "`background`: expected #rrggbb"),
        (
            "inherits = \"drak\"",
            "mine.toml:1: `inherits`: inherits from `drak`, and there is no such theme; did you mean `dark`?",
        ),
        ("name = ", "mine.toml:1: not valid TOML"),
    ];
    for (text, part) in table {
        let message = parse(text).unwrap_err().to_string();
        assert!(message.contains(part), "{text:?} gave {message:?}, wanted {part:?}");
    }
}

#[test]
fn a_circle_of_themes_is_shown() {
    let others = |name: &str| match name {
        "two" => Some(Source { file: "two.toml".into(), text: "inherits = \"three\"".into() }),
        "three" => Some(Source { file: "three.toml".into(), text: "\ninherits = \"two\"".into() }),
        _ => None,
    };
    let error = Theme::parse("one", &source("inherits = \"two\""), &others).unwrap_err();
    assert_eq!((error.file.as_str(), error.line), ("three.toml", 2));
    assert!(error.to_string().contains("mine.toml → two.toml → three.toml → two.toml"), "{error}");
}

#[test]
fn the_choice_follows_wishes_before_surroundings() {
    let base = Surroundings {
        configured: "auto",
        flag: ColourFlag::Auto,
        no_color: false,
        dumb: false,
        depth: ColourDepth::Truecolour,
        appearance: None,
    };
    let light = Some(Appearance::Light);
    let table = [
        (base, "dark", ColourDepth::Truecolour),
        (Surroundings { appearance: light, ..base }, "light", ColourDepth::Truecolour),
        (Surroundings { configured: "", appearance: light, ..base }, "light", ColourDepth::Truecolour),
        (Surroundings { no_color: true, ..base }, "mono", ColourDepth::None),
        (Surroundings { no_color: true, configured: "light", ..base }, "mono", ColourDepth::None),
        (Surroundings { no_color: true, flag: ColourFlag::Always, ..base }, "dark", ColourDepth::Truecolour),
        (Surroundings { flag: ColourFlag::Never, configured: "light", ..base }, "mono", ColourDepth::None),
        (Surroundings { dumb: true, ..base }, "mono", ColourDepth::None),
        (Surroundings { depth: ColourDepth::None, ..base }, "mono", ColourDepth::None),
        (
            Surroundings { depth: ColourDepth::None, flag: ColourFlag::Always, ..base },
            "ansi16",
            ColourDepth::Ansi16,
        ),
        (Surroundings { depth: ColourDepth::Ansi16, ..base }, "ansi16", ColourDepth::Ansi16),
        (Surroundings { depth: ColourDepth::Ansi256, ..base }, "dark", ColourDepth::Ansi256),
        (
            Surroundings { configured: "mine", depth: ColourDepth::Ansi16, ..base },
            "mine",
            ColourDepth::Ansi16,
        ),
        (Surroundings { configured: "colourblind", ..base }, "colourblind-dark", ColourDepth::Truecolour),
        (
            Surroundings { configured: "colourblind", appearance: light, ..base },
            "colourblind-light",
            ColourDepth::Truecolour,
        ),
    ];
    for (surroundings, theme, depth) in table {
        let choice = choose(&surroundings);
        assert_eq!((choice.theme.as_str(), choice.depth), (theme, depth), "{surroundings:?}");
    }
}

#[test]
fn the_environment_tells_the_depth() {
    let depth = |variables: &[(&str, &str)]| {
        ColourDepth::from_environment(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    };
    assert_eq!(depth(&[]), ColourDepth::None);
    assert_eq!(depth(&[("TERM", "dumb"), ("COLORTERM", "truecolor")]), ColourDepth::None);
    assert_eq!(depth(&[("TERM", "vt100")]), ColourDepth::None);
    assert_eq!(depth(&[("TERM", "xterm")]), ColourDepth::Ansi16);
    assert_eq!(depth(&[("TERM", "linux")]), ColourDepth::Ansi16);
    assert_eq!(depth(&[("TERM", "screen-256color")]), ColourDepth::Ansi256);
    assert_eq!(depth(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]), ColourDepth::Truecolour);
    assert_eq!(depth(&[("TERM", "xterm-kitty")]), ColourDepth::Truecolour);
    assert_eq!(
        depth(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "Apple_Terminal")]),
        ColourDepth::Ansi256
    );
    assert_eq!(Appearance::from_colorfgbg("15;0"), Some(Appearance::Dark));
    assert_eq!(Appearance::from_colorfgbg("0;default;15"), Some(Appearance::Light));
    assert_eq!(Appearance::from_colorfgbg("default"), None);
}

#[test]
fn escape_sequences_are_short() {
    let mut painter = Painter::new();
    let mut out = String::new();
    let red = Style { fg: Some(Colour::Ansi(1)), ..Style::PLAIN };
    painter.paint(&mut out, red, "a");
    painter.paint(&mut out, red, "b");
    painter.paint(&mut out, Style { bold: true, ..red }, "c");
    painter.paint(&mut out, Style { bg: Some(Colour::Rgb(1, 20, 255)), ..red }, "d");
    painter.paint(&mut out, Style { fg: Some(Colour::Indexed(240)), ..Style::PLAIN }, "");
    painter.finish(&mut out);
    painter.finish(&mut out);
    assert_eq!(out, "\u{1b}[31mab\u{1b}[1mc\u{1b}[22;48;2;1;20;255md\u{1b}[m");
}

fn any_style() -> impl Strategy<Value = Style> {
    let colour = prop_oneof![
        Just(None),
        Just(Some(Colour::Default)),
        (0u8..16).prop_map(|index| Some(Colour::Ansi(index))),
        any::<u8>().prop_map(|index| Some(Colour::Indexed(index))),
        any::<(u8, u8, u8)>().prop_map(|(red, green, blue)| Some(Colour::Rgb(red, green, blue))),
    ];
    (colour.clone(), colour, any::<[bool; 5]>()).prop_map(
        |(fg, bg, [bold, dim, italic, underline, reverse])| Style {
            fg,
            bg,
            bold,
            dim,
            italic,
            underline,
            reverse,
            strike: false,
        },
    )
}

proptest! {
    /// Whatever the order of styles, a terminal ends up showing the one that was asked for.
    #[test]
    fn a_terminal_shows_the_styles_asked_for(styles in prop::collection::vec(any_style(), 1..8)) {
        let mut painter = Painter::new();
        let mut out = String::new();
        styles.iter().for_each(|style| painter.paint(&mut out, *style, "x"));
        painter.finish(&mut out);
        out.push('x');
        let size = |size| std::num::NonZeroU16::new(size).unwrap();
        let mut terminal = vt100::Parser::new(size(2), size(20), 0);
        terminal.process(out.as_bytes());
        let colour = |colour| match colour {
            None | Some(Colour::Default) => vt100::Color::Default,
            Some(Colour::Ansi(index) | Colour::Indexed(index)) => vt100::Color::Idx(index),
            Some(Colour::Rgb(red, green, blue)) => vt100::Color::Rgb(red, green, blue),
        };
        for (column, style) in styles.iter().chain([&Style::PLAIN]).enumerate() {
            let cell = terminal.screen().cell(0, column as u16).unwrap();
            prop_assert_eq!(cell.fgcolor(), colour(style.fg));
            prop_assert_eq!(cell.bgcolor(), colour(style.bg));
            // vt100 knows one weight at a time.
            prop_assert!(style.dim || cell.bold() == style.bold);
            prop_assert_eq!(cell.italic(), style.italic);
            prop_assert_eq!(cell.underline(), style.underline);
            prop_assert_eq!(cell.inverse(), style.reverse);
        }
    }

    #[test]
    fn no_theme_text_panics(text in "\\PC{0,60}", key in "[a-z.]{1,20}") {
        let _ = parse(&text);
        let _ = parse(&format!("[roles]\n{key} = {{ bg = \"{text}\" }}"));
    }

    #[test]
    fn laying_over_is_associative(one in any_style(), two in any_style(), three in any_style()) {
        prop_assert_eq!(one.patch(two).patch(three), one.patch(two.patch(three)));
        prop_assert_eq!(one.patch(Style::PLAIN), one);
        prop_assert_eq!(Style::PLAIN.patch(one), one);
    }
}
