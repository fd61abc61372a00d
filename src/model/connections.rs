//! The user's models, ready to be called.
//!
//! Promises: all models that use the same key at the same server share its limits; a model's key is read when it is first
//! asked for. Leaves to others: which model is wanted (`cli`, `runner`).

use super::Model;
use super::client::origin;
use super::endpoint::Endpoint;
use super::error::ModelError;
use super::key::{self, Variables};
use super::limiter::Limiter;
use super::surroundings::Surroundings;
use crate::config::{KeySource, ModelSettings, Models, RateLimits};
use std::collections::HashMap;
use std::sync::Arc;

/// Whose limits are shared: the server and where the key is kept.
type Whose = (String, KeySource);

/// The user's models.
pub struct Connections {
    models: Models,
    limiters: HashMap<Whose, Arc<Limiter>>,
    surroundings: Arc<dyn Surroundings>,
}

impl Connections {
    /// These models. Where two of them share a key, the stricter limit holds.
    pub fn new(models: Models, surroundings: Arc<dyn Surroundings>) -> Connections {
        let mut limits: HashMap<Whose, RateLimits> = HashMap::new();
        for model in models.iter() {
            let shared = limits.entry(whose(model)).or_default();
            *shared = shared.and(model.limits);
        }
        let limiters = limits
            .into_iter()
            .map(|(whose, limits)| (whose, Limiter::new(limits, surroundings.clone())))
            .collect();
        Connections { models, limiters, surroundings }
    }

    /// Their settings.
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// The model with a name; `variables` gives the environment.
    pub fn model(&self, name: &str, variables: Variables<'_>) -> Result<Arc<dyn Model>, ModelError> {
        let Some(settings) = self.models.get(name) else {
            let near = self.models.nearest(name).map(|near| format!(" (did you mean `{near}`?)"));
            let why = format!(
                "there is no such model{}; `mendbench models list` shows which there are",
                near.unwrap_or_default()
            );
            return Err(ModelError::Settings { model: crate::text::truncate(name, 80).into_owned(), why });
        };
        self.connect(settings.clone(), variables)
    }

    /// A model with settings of its own, a single try for instance; it shares the limits of its key.
    pub fn connect(
        &self,
        settings: ModelSettings,
        variables: Variables<'_>,
    ) -> Result<Arc<dyn Model>, ModelError> {
        let key = key::read(&settings, variables)?;
        let limiter = match self.limiters.get(&whose(&settings)) {
            Some(limiter) => limiter.clone(),
            None => Limiter::new(settings.limits, self.surroundings.clone()),
        };
        let endpoint = Endpoint::new(settings, key.as_ref(), limiter, self.surroundings.clone())?;
        Ok(Arc::new(endpoint))
    }
}

fn whose(settings: &ModelSettings) -> Whose {
    (origin(settings), settings.key.clone())
}
